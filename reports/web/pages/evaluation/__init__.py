"""Parameters tried on counts that are known: asking for it, watching it, and what came of it."""
