"""What a site of many reports a day costs, step by step: `make benchmark-scale`."""
