"""The newest of each of many use cases, in a handful of numbers: what a card on the front page says."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection

from aggregation.mechanisms import SequenceFragmentPuzzle
from reports.models import UseCase, Version
from reports.results.names import colourful, element_name

LEADERS = 3
TREND_DAYS = 28


@dataclass(frozen=True)
class Leader:
    """One of the most frequent, in shares of reports; the bounds are adjusted for showing only these."""

    display: str
    name: str
    share: float
    lower: float
    upper: float


class Point(NamedTuple):
    """A published window by its last day, and its reports."""

    day: datetime.date
    n: int


@dataclass(frozen=True)
class Latest:
    """The newest published window of the version that pages show, in the first locale that has one.

    The trend is that of its days, or, where words are found, of its lists of the same length; it ends with the window,
    and days that are not published are missing.
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
    trend: tuple[Point, ...]
    # In the newest lists of all locales, without those that were rejected.
    new_words: int


# For each use case its version, as `default_version` chooses it, and the newest window as the page of a use case does.
# Each step looks up an index for every use case, so that it does not matter how many windows there are.
_QUERY = """
WITH newest AS (
    SELECT "asked"."use_case", "shown"."version", "shown"."number", "shown"."algorithm", "shown"."normalization",
        "shown"."locales", "window".*
    FROM unnest(%(use_cases)s::bigint[]) AS "asked"("use_case")
    CROSS JOIN LATERAL (
        SELECT "id" AS "version", "number", "algorithm", "normalization", "locales"
        FROM "reports_version" WHERE "use_case_id" = "asked"."use_case" AND "state" <> 'draft'
        ORDER BY EXISTS (
            SELECT FROM "reports_histogram" WHERE "version_id" = "reports_version"."id" AND NOT "replaced"
        ) DESC, "number" DESC LIMIT 1
    ) AS "shown"
    CROSS JOIN LATERAL (
        SELECT "found".* FROM unnest("shown"."locales") WITH ORDINALITY AS "place"("locale", "position")
        CROSS JOIN LATERAL (
            SELECT "id" AS "histogram", "locale", "first_day", "last_day", "n" FROM "reports_histogram"
            WHERE "version_id" = "shown"."version" AND "locale" = "place"."locale" AND "grouping" = ''
                AND NOT "replaced"
            ORDER BY "last_day" DESC, "first_day" LIMIT 1
        ) AS "found"
        ORDER BY "place"."position" LIMIT 1
    ) AS "window"
)
SELECT "use_case", "number", "algorithm" = %(discovery)s, "normalization", "locale", "locale" = "locales"[1],
    "first_day", "last_day", "n",
    (
        SELECT json_agg(json_build_array("display", "estimate", "adjusted_lower", "adjusted_upper") ORDER BY "rank")
        FROM (
            SELECT "display", "reports_histogramentry"."estimate", "adjusted_lower", "adjusted_upper", "rank"
            FROM "reports_histogramentry"
            WHERE "histogram_id" = "newest"."histogram"
                AND NOT ("newest"."algorithm" = %(discovery)s AND {rejected})
            ORDER BY "rank" LIMIT %(leaders)s
        ) AS "leader"
    ),
    (
        SELECT json_agg(json_build_array("day", "n") ORDER BY "day")
        FROM (
            SELECT "last_day" AS "day", "n" FROM "reports_histogram"
            WHERE "version_id" = "newest"."version" AND "locale" = "newest"."locale" AND "grouping" = ''
                AND NOT "replaced" AND "last_day" > "newest"."last_day" - %(days)s
                AND "last_day" <= "newest"."last_day" AND "last_day" - "first_day" = CASE
                    WHEN "newest"."algorithm" = %(discovery)s THEN "newest"."last_day" - "newest"."first_day" ELSE 0
                END
        ) AS "point"
    ),
    CASE WHEN "algorithm" = %(discovery)s THEN (
        SELECT count(*) FROM unnest("newest"."locales") AS "place"("locale")
        CROSS JOIN LATERAL (
            SELECT "id" FROM "reports_histogram"
            WHERE "version_id" = "newest"."version" AND "locale" = "place"."locale" AND "grouping" = ''
                AND NOT "replaced"
            ORDER BY "last_day" DESC, "first_day" LIMIT 1
        ) AS "list"
        JOIN "reports_histogramentry" ON "histogram_id" = "list"."id" AND "is_new"
        CROSS JOIN LATERAL (SELECT "newest"."use_case", "place"."locale") AS "of"
        WHERE NOT {rejected_in_list}
    ) ELSE 0 END
FROM "newest"
"""
# What people rejected is not shown on lists of words; the newest decision counts.
_REJECTED = """COALESCE((
    SELECT "verdict" = 'rejected' FROM "reports_worddecision"
    WHERE "use_case_id" = "{0}"."use_case" AND "reports_worddecision"."locale" = "{0}"."locale" AND "word" = "display"
    ORDER BY "reports_worddecision"."id" DESC LIMIT 1
), false)"""
_STATEMENT = _QUERY.format(rejected=_REJECTED.format("newest"), rejected_in_list=_REJECTED.format("of"))


def latest(use_cases: Sequence[UseCase]) -> dict[int, Latest | None]:
    """By primary key; None where nothing is published. One query, whatever their number."""
    found: dict[int, Latest | None] = dict.fromkeys(use_case.pk for use_case in use_cases)
    given: Mapping[str, Any] = {
        "use_cases": list(found),
        "discovery": SequenceFragmentPuzzle.algorithm,
        "leaders": LEADERS,
        "days": TREND_DAYS,
    }
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENT, given)
        for use_case, *values in cursor.fetchall():
            found[use_case] = _read(*values)
    return found


def _read(
    number: int,
    discovers: bool,
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
        discovers=discovers,
        locale=locale,
        is_first_locale=is_first_locale,
        first_day=first_day,
        last_day=last_day,
        n=n,
        leaders=tuple(_leader(version, n, *leader) for leader in leaders or ()),
        trend=tuple(Point(datetime.date.fromisoformat(day), reports) for day, reports in trend or ()),
        new_words=new_words,
    )


def _leader(version: Version, n: int, display: str, estimate: float, lower: float, upper: float) -> Leader:
    return Leader(colourful(display), element_name(version, display), estimate / n, lower / n, upper / n)
