"""Choices in a form or by a link, and what stands where there is nothing to see."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from reports.formatting import day_range
from reports.models import Version
from reports.results import known_versions
from reports.results.trend import Element
from reports.web.pages.locales import locale_label


@dataclass(frozen=True)
class Choice:
    """An option of a list, or a link."""

    value: str
    label: str
    current: bool = False


@dataclass(frozen=True)
class Neighbour:
    """The window before or after, and its days in words."""

    link: str
    days: str


def neighbour(link: str, first: datetime.date, last: datetime.date) -> Neighbour:
    return Neighbour(link, day_range(first, last))


@dataclass(frozen=True)
class Offer:
    """An element, what is known of its share, and the link to its page."""

    element: Element
    share: str
    link: str


@dataclass(frozen=True)
class Empty:
    """A panel in place of results: why there are none, and where to go from here."""

    title: str
    sentences: Sequence[str] = ()
    # Elements of the dictionary, and what is said below them.
    offers: Sequence[Offer] = ()
    note: str = ""
    actions: Sequence[Choice] = ()


def locale_choices(version: Version, locale: str) -> list[Choice]:
    """Return the locales of a version; empty if there is no choice."""
    return _several(Choice(code, locale_label(code), code == locale) for code in version.locales)


def version_choices(version: Version) -> list[Choice]:
    """Versions of its use case that may be asked for, the newest first; none if there is no choice."""
    words = _("%(number)s (%(state)s)")
    return _several(
        Choice(
            str(other.number),
            words % {"number": other.number, "state": other.get_state_display()},
            other.pk == version.pk,
        )
        for other in known_versions(version.use_case)
    )


def top_choices(offered: Iterable[int], chosen: int) -> list[Choice]:
    """Return the numbers of rows that are offered, and the one that is chosen."""
    return [Choice(str(top), str(top), top == chosen) for top in sorted({*offered, chosen})]


def _several(choices: Iterable[Choice]) -> list[Choice]:
    found = list(choices)
    return found if len(found) > 1 else []
