"""Facts of an element beside its numbers: its variants, and when a discovered word was seen."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.db import connection
from django.db.models import Q

from reports.kinds import ByKind
from reports.models import Version, WordDecision
from reports.results.caching import cached
from reports.results.groupings import without_skin_tones
from reports.results.trend import Element, elements_of

# More variants than any emoji has skin tones.
MOST_VARIANTS = 40


@dataclass(frozen=True)
class Sighting:
    """Sighting of a discovered word in a locale: when it stood out by itself, and what was decided about it."""

    first: datetime.date | None
    last: datetime.date | None
    decision: WordDecision | None


def variants_of(version: Version, element: Element) -> tuple[Element, ...]:
    """Skin tones of the same emoji."""
    base = without_skin_tones(element.element) if version.normalization == "emoji" else ""
    revision = version.current_dictionary() if base else None
    if revision is None:
        return ()
    near = Q(element__startswith=base[0]) | Q(element__startswith=element.element[0])
    rows = revision.entries.filter(near).order_by("position").values_list("element", "display", "category")
    same = [row for row in rows if without_skin_tones(row[0]) == base]
    return tuple(elements_of(version, same[:MOST_VARIANTS])) if len(same) > 1 else ()


def _sightings(version: Version, element: Element) -> dict[str, Sighting]:
    seen = cached(version.use_case, "seen", f"{version.pk}:{element.element}", lambda: _seen(version, element.element))
    decisions = WordDecision.objects.filter(use_case=version.use_case_id, word=element.text)
    newest = {each.locale: each for each in decisions.order_by("locale", "-pk").distinct("locale")}
    return {
        locale: Sighting(*seen.get(locale, (None, None)), newest.get(locale))
        for locale in version.locales
        if locale in seen or locale in newest
    }


_SEEN = """
SELECT "locale", MIN("first_days"["place"]), MAX("last_days"["place"]) FROM "reports_histogram"
JOIN "reports_histogramentries" ON "histogram_id" = "reports_histogram"."id"
CROSS JOIN LATERAL (SELECT array_position("elements", %(word)s) AS "place" OFFSET 0) AS "found"
WHERE "version_id" = %(version)s AND "grouping" = '' AND "place" IS NOT NULL GROUP BY "locale"
"""


def _seen(version: Version, word: str) -> dict[str, tuple[datetime.date | None, datetime.date | None]]:
    """Return the first and the last day on which a word stood out, by locale with lists that have it."""
    with connection.cursor() as cursor:
        cursor.execute(_SEEN, {"word": word, "version": version.pk})
        return {locale: (first, last) for locale, first, last in cursor.fetchall()}


# By locale, of discovered words.
SIGHTINGS: Final = ByKind[Callable[[Version, Element], dict[str, Sighting]]](
    counting=lambda _version, _element: {}, discovery=_sightings
)
