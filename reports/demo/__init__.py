"""The demo: a use case, a simulated fleet, and people to look at the result."""
