"""Three hosts without a common disk, on servers of their own, parts of which die. `make endurance` is the long form."""
