"""How days and times are written, for Django to find: one way on pages, in charts and in the captions of files."""
