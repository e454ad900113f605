"""Trends of versions that discover words: the lists that runs made, each at its last day; a page makes none."""

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.models import F, Max, Min, QuerySet

from reports.models import Histogram, Version, WordDecision
from reports.results.availability import State
from reports.results.counted import Span
from reports.results.trend.elements import Texts, hashed, letters_first
from reports.results.trend.trend_windows import Published, Slot, SlotState, read_published
from reports.results.word_lists import REJECTED, Words

# The first list that has it tells how each word is written: of what was found every day there are thousands.
_WORDS = """
SELECT "entry".* FROM unnest(%(words)s::text[]) AS "wanted"("element")
CROSS JOIN LATERAL (
    SELECT "elements"["place"], COALESCE("displays"["place"], "elements"["place"]), COALESCE("categories"["place"], '')
    FROM "reports_histogram" JOIN "reports_histogramentries" ON "histogram_id" = "id"
    CROSS JOIN LATERAL (SELECT array_position("elements", "wanted"."element") AS "place" OFFSET 0) AS "found"
    WHERE "version_id" = %(version)s AND "locale" = ANY(%(locales)s) AND "grouping" = '' AND "place" IS NOT NULL
        AND NOT EXISTS (
            SELECT FROM unnest(%(rejected)s::text[], %(rejected_in)s::text[]) AS "rejected"("word", "place")
            WHERE "word" = "wanted"."element" AND "rejected"."place" = "locale"
        )
    LIMIT 1
) AS "entry"
"""
_SEARCH = """
SELECT DISTINCT "element", COALESCE("written", "element"), COALESCE("category", '')
FROM "reports_histogram" JOIN "reports_histogramentries" ON "histogram_id" = "id"
CROSS JOIN LATERAL unnest("elements", "displays", "categories") AS "entry"("element", "written", "category")
WHERE "version_id" = %(version)s AND "locale" = %(locale)s AND "grouping" = '' AND NOT "element" = ANY(%(hidden)s)
    AND (strpos(upper("element"), upper(%(wanted)s)) > 0 OR strpos(upper("written"), upper(%(wanted)s)) > 0)
LIMIT 1000
"""


class DiscoveryTrend:
    nothing_shown = State.NOT_SEARCHED
    # Lists of words are of several days and overlap: their errors are not independent.
    compared_windows = 1

    def span(self, version: Version, locales: Collection[str]) -> Span | None:
        ends = _lists(version, locales).aggregate(first=Min("last_day"), last=Max("last_day"))
        return None if ends["first"] is None else Span(ends["first"], ends["last"])

    def slots(
        self, version: Version, locales: Sequence[str], first: datetime.date, last: datetime.date, step: int
    ) -> dict[str, list[Slot]]:
        """Return the lists of at most `step` days that end between the days: of several that end on a day the longest.

        Only days with such a list have a place.
        """
        found = _lists(version, locales).filter(last_day__range=(first, last))
        found = found.filter(first_day__gt=F("last_day") - step * datetime.timedelta(days=1))
        slots: dict[str, dict[datetime.date, Slot]] = {locale: {} for locale in locales}
        for histogram in read_published(found.order_by("locale", "last_day", "first_day")):
            slot = Slot(histogram.first_day, histogram.last_day, SlotState.SHOWN, version, histogram)
            slots[histogram.locale].setdefault(histogram.last_day, slot)
        return {locale: list(each.values()) for locale, each in slots.items()}

    def day_of(self, slot: Slot) -> datetime.date:
        return slot.last

    def most_points(self, days: int, step: int) -> int:
        return days + 1  # a list may end on any day

    def newest(self, places: Sequence[tuple[Version, str]]) -> dict[tuple[int, str], Published]:
        # Each looked up in an index: sorting the windows of years takes longer than all else about a page.
        newest = """
            SELECT "newest"."id", "version" FROM unnest(%s::bigint[], %s::text[]) AS "asked"("version", "locale")
            CROSS JOIN LATERAL (
                SELECT "id" FROM "reports_histogram"
                WHERE "version_id" = "version" AND "locale" = "asked"."locale" AND "grouping" = ''
                ORDER BY "last_day" DESC, "first_day" LIMIT 1
            ) AS "newest"
        """
        with connection.cursor() as cursor:
            cursor.execute(
                newest, [[version.pk for version, _locale in places], [locale for _version, locale in places]]
            )
            versions = dict(cursor.fetchall())
        lists = Histogram.objects.filter(pk__in=versions).order_by()
        return {(versions[each.pk], each.locale): each for each in read_published(lists)}

    def opening_step(self, version: Version, locale: str, span: Span | None, *, weeks_if_noisy: bool) -> int:
        return 7

    def hidden(self, version: Version, locale: str) -> set[str]:
        return Words(version, locale).rejected

    def rejected(self, version: Version, texts: Collection[str]) -> dict[str, set[str]]:
        decisions = WordDecision.objects.filter(use_case=version.use_case_id, word__in=texts)
        newest = decisions.order_by("locale", "word", "-pk").distinct("locale", "word")
        found: dict[str, set[str]] = {}
        for locale, word, verdict in newest.values_list("locale", "word", "verdict"):
            if verdict == REJECTED:
                found.setdefault(locale, set()).add(word)
        return found

    def texts(
        self, version: Version, elements: Collection[str], rejected: Mapping[str, Collection[str]]
    ) -> Iterable[Texts]:
        """Return the words that a list has of a locale where they are not rejected; of others nothing is shown."""
        pairs = [(hashed(version, text), locale) for locale, texts in rejected.items() for text in texts]
        given: Mapping[str, Any] = {
            "words": list(elements),
            "version": version.pk,
            "locales": version.locales,
            "rejected": [word for word, _locale in pairs],
            "rejected_in": [locale for _word, locale in pairs],
        }
        with connection.cursor() as cursor:
            cursor.execute(_WORDS, given)
            return [(element, display, category) for element, display, category in cursor.fetchall()]

    def search(self, version: Version, locale: str, wanted: str, most: int) -> Iterable[Texts]:
        hidden = list(self.hidden(version, locale))
        given: Mapping[str, Any] = {"version": version.pk, "locale": locale, "hidden": hidden, "wanted": wanted}
        with connection.cursor() as cursor:
            cursor.execute(_SEARCH, given)
            return letters_first(cursor.fetchall(), wanted)[:most]


def _lists(version: Version, locales: Collection[str]) -> QuerySet[Histogram]:
    return version.histograms.ungrouped().filter(locale__in=locales)
