"""The HTTP API under /api/v1/: batches in, histograms out."""
