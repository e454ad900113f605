"""One element: all locales, all days."""
