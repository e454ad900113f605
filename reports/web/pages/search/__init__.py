"""Search for everything that a person may see: on a page, and in the palette of every page."""
