"""Twins of the demo: two use cases that ask the same by two mechanisms, for pages to put side by side."""

from django.conf import settings

from reports.demo.fleets import TWINS

_OLDER = {fleet.slug: fleet.twin_of for fleet in TWINS}
_NEWER = {older: newer for newer, older in _OLDER.items()}


def twin_of(slug: str) -> str | None:
    """Return the identifier of a use case's twin; None if it has none, or this is not the demo."""
    return _OLDER.get(slug) or _NEWER.get(slug) if settings.LDPSITE_DEMO else None


def is_newer(slug: str) -> bool:
    """Tell whether it is the newer one of two."""
    return slug in _OLDER
