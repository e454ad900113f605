"""Dates as texts: year-month-day, and no other way to write one."""

import datetime
import re
from argparse import ArgumentTypeError

# `fromisoformat` would also take 20261121 and 2026-W47-6, and one view would have several addresses.
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_iso_date(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if _ISO_DATE.fullmatch(text) else None
    except ValueError:
        return None


def iso_date(text: str) -> datetime.date:
    """Parse a date for `type=` of an argument parser."""
    found = read_iso_date(text)
    if found is None:
        raise ArgumentTypeError(f"{text!r} is not a date such as 2026-03-31")
    return found
