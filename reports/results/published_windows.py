"""Windows of which there is something to see: for links, which must not lead to nothing."""

import datetime
from collections.abc import Collection
from typing import TypeAlias

from reports.models import Version
from reports.publication import periods_of

# Locale, first and last day.
LocaleWindow: TypeAlias = tuple[str, datetime.date, datetime.date]


def published_windows(version: Version, wanted: Collection[LocaleWindow]) -> set[LocaleWindow]:
    """Return the wanted places with a period inside them, in one query."""
    if not wanted:
        return set()
    earliest, latest = min(first for _locale, first, _last in wanted), max(last for _locale, _first, last in wanted)
    periods = periods_of(version, {locale for locale, _first, _last in wanted}, earliest, latest)
    return {place for place in wanted if periods[place[0]].inside(*place[1:]) is not None}
