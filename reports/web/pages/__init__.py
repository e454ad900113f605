"""Pages for people, in a browser."""
