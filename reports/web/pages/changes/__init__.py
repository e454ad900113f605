"""Changes: a page for each use case, and one for the site."""
