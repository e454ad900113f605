"""Chosen elements over days or weeks."""
