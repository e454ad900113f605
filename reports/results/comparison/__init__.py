"""Two histograms against each other: query, view and document."""
