"""The newest of versions that discover words: the newest list of a locale, and lists of the same length before."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

from reports.models import Version
from reports.models.entries import NUMBERS_AT, read_numbers
from reports.results.latest_result import LEADERS, TREND_DAYS, Latest, WindowSize, leader_of

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
        SELECT json_agg(json_build_array("display", encode({numbers}, 'hex')) ORDER BY "place")
        FROM (
            SELECT "display", "place", "numbers" FROM {entries}
            WHERE "histogram_id" = "newest"."histogram" AND NOT {rejected}
            ORDER BY "place" LIMIT %(leaders)s
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
        CROSS JOIN LATERAL (SELECT "newest"."use_case", "place"."locale") AS "of"
        CROSS JOIN LATERAL (
            SELECT FROM {entries} WHERE "histogram_id" = "list"."id" AND "is_new" AND NOT {rejected_in_list}
        ) AS "new"
    )
FROM "newest"
"""
# Rejected words are not shown on lists of words; the newest decision counts.
_REJECTED = """COALESCE((
    SELECT "verdict" = 'rejected' FROM "reports_worddecision"
    WHERE "use_case_id" = "{0}"."use_case" AND "reports_worddecision"."locale" = "{0}"."locale" AND "word" = "display"
    ORDER BY "reports_worddecision"."id" DESC LIMIT 1
), false)"""
_ENTRIES = """
"reports_histogramentries" CROSS JOIN LATERAL (
    SELECT COALESCE("written", "element") AS "display", "place", "is_new"
    FROM unnest("elements", "displays", "new") WITH ORDINALITY AS "each"("element", "written", "is_new", "place")
) AS "entry"
"""
_STATEMENT = _QUERY.format(
    entries=_ENTRIES, numbers=NUMBERS_AT, rejected=_REJECTED.format("newest"), rejected_in_list=_REJECTED.format("of")
)


def latest_searched(versions: Sequence[Version]) -> dict[int, Latest | None]:
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
    leaders: list[tuple[str, str]] | None,
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
        leaders=tuple(
            leader_of(version, n, display, *read_numbers(bytes.fromhex(numbers)).tolist())
            for display, numbers in leaders or ()
        ),
        trend=tuple(WindowSize(datetime.date.fromisoformat(day), reports) for day, reports in trend or ()),
        new_words=new_words,
    )
