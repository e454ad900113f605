"""Guided set-up of a use case, from a question to a chart: a page for each step, whose draft is in the database."""
