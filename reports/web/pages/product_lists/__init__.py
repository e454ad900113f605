"""Lists that products read of the results, and owners approve."""
