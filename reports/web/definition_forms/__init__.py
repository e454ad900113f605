"""Forms for parts of definitions, which pages and the admin have in common."""
