"""Formats of days and times, for Django to find: one way on pages, in charts and in the captions of files."""
