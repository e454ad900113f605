"""Use cases and days as commands name them."""

import datetime
from argparse import ArgumentTypeError

from django.core.management.base import CommandError

from reports.models import UseCase
from reports.results import read_iso_date


def use_case_named(slug: str) -> UseCase:
    """Return the use case with an identifier. Raises `CommandError` if there is none."""
    found = UseCase.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"There is no use case {slug!r}.")
    return found


def iso_date(text: str) -> datetime.date:
    """Parse a date for `type=` of an argument parser."""
    found = read_iso_date(text)
    if found is None:
        raise ArgumentTypeError(f"{text!r} is not a date such as 2026-03-31")
    return found
