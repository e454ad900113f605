"""The newest of versions that count a dictionary: what a page opens with, and the days that stand by themselves."""

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from django.db import connection

from reports.models import Version
from reports.models.entries import NUMBERS_AT, read_numbers
from reports.publication import Periods, Window
from reports.results.counted import newest_periods, opening_window
from reports.results.histograms import kept, made_of, make_histograms
from reports.results.latest_result import LEADERS, TREND_DAYS, Latest, WindowSize, leader_of
from reports.results.versions import current_dictionaries

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


def latest_counted(versions: Sequence[Version]) -> dict[int, Latest | None]:
    with connection.cursor() as cursor:
        cursor.execute(_FIRST_LOCALES, [[version.pk for version in versions]])
        locales = dict(cursor.fetchall())
    shown = newest_periods([(version, locales[version.pk]) for version in versions if version.pk in locales])
    revisions = current_dictionaries(versions)
    wanted = {
        made_of(window, revisions[periods.version.pk]): window
        for periods in shown.values()
        if periods.version.pk in revisions and (window := opening_window(periods)) is not None
    }
    there = dict(kept(wanted).values_list("made_of", "pk"))
    keys = [
        there.get(key) or make_histograms(window, revisions[window.version.pk], [None])[0].pk
        for key, window in wanted.items()
    ]
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENT, [LEADERS, keys])
        leaders = {key: zip(displays, read_numbers(numbers).tolist(), strict=True) for key, displays, numbers in cursor}
    return {
        window.version.use_case_id: _of_window(window, shown[window.version.pk, window.locale], leaders.get(key, ()))
        for window, key in zip(wanted.values(), keys, strict=True)
    }


# A row for each histogram that has any, with the first of its entries.
_LEADERS = """
SELECT "histogram_id", array_agg(COALESCE("display", "element") ORDER BY "place"),
    string_agg({numbers}, ''::bytea ORDER BY "place")
FROM "reports_histogramentries"
CROSS JOIN LATERAL unnest("elements", "displays") WITH ORDINALITY AS "entry"("element", "display", "place")
WHERE "place" <= %s AND "histogram_id" = ANY(%s) GROUP BY "histogram_id"
"""
_STATEMENT = _LEADERS.format(numbers=NUMBERS_AT)


def _of_window(window: Window, periods: Periods, leaders: Iterable[tuple[str, list[float]]]) -> Latest:
    version, n = window.version, window.n
    return Latest(
        version=version.number,
        discovers=False,
        locale=window.locale,
        is_first_locale=window.locale == version.locales[0],
        first_day=window.first_day,
        last_day=window.last_day,
        n=n,
        leaders=tuple(leader_of(version, n, *leader) for leader in leaders),
        trend=tuple(single_days(periods, window.last_day)),
        new_words=0,
    )


def single_days(periods: Periods, last: datetime.date) -> Iterator[WindowSize]:
    """Yield the days that are released by themselves, of the last four weeks up to a day, with their reports."""
    found: Counter[datetime.date] = Counter()
    for period in periods.released:
        if period.first_day == period.last_day and 0 <= (last - period.last_day).days < TREND_DAYS:
            found[period.last_day] += period.n
    yield from (WindowSize(day, found[day]) for day in sorted(found))
