"""The use cases as cards, and the first steps of an empty site."""
