"""Histograms of days or weeks in a row: query, view and document."""
