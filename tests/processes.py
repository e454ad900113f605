"""Helpers of tests that start other processes."""

import os

OURS = ("CELERY_", "DATABASE_", "DJANGO_", "LDPSITE_")


def clean_environment(**variables: str) -> dict[str, str]:
    """Return the environment as a new user has it: without what the tests, or a developer, have configured."""
    return {name: value for name, value in os.environ.items() if not name.startswith(OURS)} | variables
