"""The page of all locales at once."""
