"""Cost of a site of many reports a day, step by step: `make benchmark-scale`."""
