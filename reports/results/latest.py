"""The newest of each of many use cases, in a handful of numbers: what a card on the front page says."""

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection

from reports.models import DictionaryRevision, UseCase, Version
from reports.publication import Periods, Window, periods_of_each
from reports.results.histograms import kept, made_of, make_histograms
from reports.results.names import colourful, element_name
from reports.results.versions import default_versions

LEADERS = 3
TREND_DAYS = 28


@dataclass(frozen=True)
class Leader:
    """Leading element, in shares of reports; the bounds are adjusted for showing only the leaders."""

    display: str
    name: str
    share: float
    lower: float
    upper: float


class WindowSize(NamedTuple):
    """A published window by its last day, and its reports."""

    day: datetime.date
    n: int


@dataclass(frozen=True)
class Latest:
    """Newest results of a use case in the first locale that has any: all periods, or the newest list of words.

    The trend is that of its days, or, where words are found, of its lists of the same length; it ends with the window,
    and days that are not released by themselves are missing.
    """

    version: int
    discovers: bool
    locale: str
    # The locale that the page of the use case shows if none is asked for.
    is_first_locale: bool
    first_day: datetime.date
    last_day: datetime.date
    n: int
    leaders: tuple[Leader, ...]
    trend: tuple[WindowSize, ...]
    # In the newest lists of all locales, without those that were rejected.
    new_words: int


def latest(use_cases: Sequence[UseCase]) -> dict[int, Latest | None]:
    """By primary key; None where nothing is shown. A fixed number of queries, if what is shown is kept."""
    found: dict[int, Latest | None] = dict.fromkeys(use_case.pk for use_case in use_cases)
    versions = default_versions(use_cases)
    found |= _counted([version for version in versions if version.discovery is None])
    return found | _searched([version for version in versions if version.discovery is not None])


# --- Of dictionaries ---

# The first of a version's locales that has a period which is shown.
_FIRST_LOCALES = """
SELECT "version"."id", "place"."locale" FROM "reports_version" AS "version"
JOIN "reports_usecase" AS "use_case" ON "use_case"."id" = "version"."use_case_id"
CROSS JOIN LATERAL (
    SELECT "locale" FROM unnest("version"."locales") WITH ORDINALITY AS "each"("locale", "position")
    WHERE EXISTS (
        SELECT FROM "reports_period" WHERE "version_id" = "version"."id" AND "locale" = "each"."locale"
            AND "n" >= "use_case"."minimum_reports"
    )
    ORDER BY "position" LIMIT 1
) AS "place"
WHERE "version"."id" = ANY(%s)
"""


def _counted(versions: Sequence[Version]) -> dict[int, Latest | None]:
    with connection.cursor() as cursor:
        cursor.execute(_FIRST_LOCALES, [[version.pk for version in versions]])
        locales = dict(cursor.fetchall())
    shown = periods_of_each([(version, locales[version.pk]) for version in versions if version.pk in locales])
    newest = (
        DictionaryRevision.objects.filter(version__in=versions).order_by("version_id", "-number").distinct("version_id")
    )
    revisions = {revision.version_id: revision for revision in newest if revision.size}
    wanted = {
        made_of(window, revisions[periods.version.pk]): window
        for periods in shown.values()
        if periods.version.pk in revisions and (window := periods.inside()) is not None
    }
    there = dict(kept(wanted).values_list("made_of", "pk"))
    keys = [
        there.get(key) or make_histograms(window, revisions[window.version.pk], [None])[0].pk
        for key, window in wanted.items()
    ]
    with connection.cursor() as cursor:
        cursor.execute(_LEADERS, [LEADERS, keys])
        leaders = dict(cursor.fetchall())
    return {
        window.version.use_case_id: _of_window(window, shown[window.version.pk, window.locale], leaders.get(key) or [])
        for window, key in zip(wanted.values(), keys, strict=True)
    }


# A row for each histogram, with the first of its entries.
_LEADERS = """
SELECT "asked"."key", (
    SELECT json_agg(json_build_array("display", "estimate", "adjusted_lower", "adjusted_upper") ORDER BY "rank")
    FROM "reports_histogramentry" WHERE "histogram_id" = "asked"."key" AND "rank" <= %s
)
FROM unnest(%s::bigint[]) AS "asked"("key")
"""


def _of_window(window: Window, periods: Periods, leaders: Iterable[tuple[str, float, float, float]]) -> Latest:
    version, n = window.version, window.n
    return Latest(
        version=version.number,
        discovers=False,
        locale=window.locale,
        is_first_locale=window.locale == version.locales[0],
        first_day=window.first_day,
        last_day=window.last_day,
        n=n,
        leaders=tuple(_leader(version, n, *leader) for leader in leaders),
        trend=tuple(_days(periods, window.last_day)),
        new_words=0,
    )


def _days(periods: Periods, last: datetime.date) -> Iterator[WindowSize]:
    """The last days that are released by themselves, with their reports."""
    found: Counter[datetime.date] = Counter()
    for period in periods.released:
        if period.first_day == period.last_day and (last - period.last_day).days < TREND_DAYS:
            found[period.last_day] += period.n
    yield from (WindowSize(day, found[day]) for day in sorted(found))


# --- Of words ---

# For each version the newest list as the page of a use case finds it. Each step looks up an index for every version, so
# that it does not matter how many lists there are.
_QUERY = """
WITH newest AS (
    SELECT "shown"."use_case_id" AS "use_case", "shown"."id" AS "version", "shown"."number", "shown"."normalization",
        "shown"."locales", "window".*
    FROM "reports_version" AS "shown"
    CROSS JOIN LATERAL (
        SELECT "found".* FROM unnest("shown"."locales") WITH ORDINALITY AS "place"("locale", "position")
        CROSS JOIN LATERAL (
            SELECT "id" AS "histogram", "locale", "first_day", "last_day", "n" FROM "reports_histogram"
            WHERE "version_id" = "shown"."id" AND "locale" = "place"."locale" AND "grouping" = ''
            ORDER BY "last_day" DESC, "first_day" LIMIT 1
        ) AS "found"
        ORDER BY "place"."position" LIMIT 1
    ) AS "window"
    WHERE "shown"."id" = ANY(%(versions)s)
)
SELECT "use_case", "number", "normalization", "locale", "locale" = "locales"[1],
    "first_day", "last_day", "n",
    (
        SELECT json_agg(json_build_array("display", "estimate", "adjusted_lower", "adjusted_upper") ORDER BY "rank")
        FROM (
            SELECT "display", "reports_histogramentry"."estimate", "adjusted_lower", "adjusted_upper", "rank"
            FROM "reports_histogramentry"
            WHERE "histogram_id" = "newest"."histogram" AND NOT {rejected}
            ORDER BY "rank" LIMIT %(leaders)s
        ) AS "leader"
    ),
    (
        SELECT json_agg(json_build_array("day", "n") ORDER BY "day")
        FROM (
            SELECT "last_day" AS "day", "n" FROM "reports_histogram"
            WHERE "version_id" = "newest"."version" AND "locale" = "newest"."locale" AND "grouping" = ''
                AND "last_day" > "newest"."last_day" - %(days)s AND "last_day" <= "newest"."last_day"
                AND "last_day" - "first_day" = "newest"."last_day" - "newest"."first_day"
        ) AS "point"
    ),
    (
        SELECT count(*) FROM unnest("newest"."locales") AS "place"("locale")
        CROSS JOIN LATERAL (
            SELECT "id" FROM "reports_histogram"
            WHERE "version_id" = "newest"."version" AND "locale" = "place"."locale" AND "grouping" = ''
            ORDER BY "last_day" DESC, "first_day" LIMIT 1
        ) AS "list"
        JOIN "reports_histogramentry" ON "histogram_id" = "list"."id" AND "is_new"
        CROSS JOIN LATERAL (SELECT "newest"."use_case", "place"."locale") AS "of"
        WHERE NOT {rejected_in_list}
    )
FROM "newest"
"""
# What people rejected is not shown on lists of words; the newest decision counts.
_REJECTED = """COALESCE((
    SELECT "verdict" = 'rejected' FROM "reports_worddecision"
    WHERE "use_case_id" = "{0}"."use_case" AND "reports_worddecision"."locale" = "{0}"."locale" AND "word" = "display"
    ORDER BY "reports_worddecision"."id" DESC LIMIT 1
), false)"""
_STATEMENT = _QUERY.format(rejected=_REJECTED.format("newest"), rejected_in_list=_REJECTED.format("of"))


def _searched(versions: Sequence[Version]) -> dict[int, Latest | None]:
    """Read the newest lists of words of all versions in one query."""
    given: Mapping[str, Any] = {
        "versions": [version.pk for version in versions],
        "leaders": LEADERS,
        "days": TREND_DAYS,
    }
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENT, given)
        return {use_case: _read(*values) for use_case, *values in cursor.fetchall()}


def _read(
    number: int,
    normalization: str,
    locale: str,
    is_first_locale: bool,
    first_day: datetime.date,
    last_day: datetime.date,
    n: int,
    leaders: list[tuple[str, float, float, float]] | None,
    trend: list[tuple[str, int]] | None,
    new_words: int,
) -> Latest:
    """A row of the answer."""
    version = Version(normalization=normalization)
    return Latest(
        version=number,
        discovers=True,
        locale=locale,
        is_first_locale=is_first_locale,
        first_day=first_day,
        last_day=last_day,
        n=n,
        leaders=tuple(_leader(version, n, *leader) for leader in leaders or ()),
        trend=tuple(WindowSize(datetime.date.fromisoformat(day), reports) for day, reports in trend or ()),
        new_words=new_words,
    )


def _leader(version: Version, n: int, display: str, estimate: float, lower: float, upper: float) -> Leader:
    return Leader(colourful(display), element_name(version, display), estimate / n, lower / n, upper / n)
