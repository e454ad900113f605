"""Two locales or two windows side by side."""
