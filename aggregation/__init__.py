"""Local differential privacy in aggregate: mechanisms, sketches, estimates. Knows nothing of the web."""
