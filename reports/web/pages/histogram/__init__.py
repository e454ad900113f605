"""The page of a use case: its histogram, or the words that were found."""
