"""Days that other versions of a use case counted: they are in no number of the version that is looked at."""

import datetime
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reports.models import Period, Version
from reports.publication import Days, gaps

_DAY = datetime.timedelta(days=1)


class CountedBy(NamedTuple):
    """Another version, with the days that its release periods span, in stretches."""

    version: Version
    days: tuple[Days, ...]


def counted_by_others(
    others: Sequence[Version], locale: str, first: datetime.date | None, last: datetime.date | None
) -> tuple[CountedBy, ...]:
    """Return which other versions released periods of a locale between two days, the oldest first.

    An end that is None is open.
    """
    if not others:
        return ()
    released = Period.objects.filter(version__in=others, locale=locale).inside(first, last)
    rows = released.shown(others[0].use_case.minimum_reports).order_by("first_day", "last_day")
    found: dict[int, list[Days]] = {}
    for version, begin, end in rows.values_list("version", "first_day", "last_day"):
        own = found.setdefault(version, [])
        if own and begin <= own[-1][1] + _DAY:
            own[-1] = own[-1][0], max(own[-1][1], end)
        else:
            own.append((begin, end))
    versions = sorted((other for other in others if other.pk in found), key=lambda other: other.number)
    return tuple(CountedBy(version, tuple(found[version.pk])) for version in versions)


def counted_by_none(stretches: Iterable[Days], others: Iterable[CountedBy]) -> tuple[Days, ...]:
    """Return the days of some stretches that none of these versions counted."""
    theirs = [days for other in others for days in other.days]
    return tuple(gap for first, last in stretches for gap in gaps(theirs, first, last))
