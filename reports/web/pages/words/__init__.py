"""Discovered words: how they are shown and sorted, and the dictionaries made of them."""
