"""Speed of the pages where there is a year of everything."""
