"""How fast the pages are where there is a year of everything."""
