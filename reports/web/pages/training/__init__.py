"""Pages of training tasks: their runs, what these let out, their models."""
