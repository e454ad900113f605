"""What is known of an element beside its numbers: its variants, and when a discovered word was seen."""

import datetime
from dataclasses import dataclass

from django.db.models import Max, Min, Q

from reports.models import HistogramEntry, Version, WordDecision
from reports.results.groupings import without_skin_tones
from reports.results.trend.elements import Element, elements_of
from reports.results.trend.windows import published

# More variants than any emoji has skin tones.
MOST_VARIANTS = 40


@dataclass(frozen=True)
class Sighting:
    """Of a discovered word, in a locale: when it stood out by itself, and what was decided about it."""

    first: datetime.date | None
    last: datetime.date | None
    decision: WordDecision | None


def variants_of(version: Version, element: Element) -> tuple[Element, ...]:
    """Skin tones of the same emoji."""
    revision = version.current_dictionary()
    base = without_skin_tones(element.element)
    if version.normalization != "emoji" or revision is None or not base:
        return ()
    near = Q(element__startswith=base[0]) | Q(element__startswith=element.element[0])
    rows = revision.entries.filter(near).order_by("position").values_list("element", "display", "category")
    same = [row for row in rows if without_skin_tones(row[0]) == base]
    return tuple(elements_of(version, same[:MOST_VARIANTS])) if len(same) > 1 else ()


def sightings_of(version: Version, element: Element) -> dict[str, Sighting]:
    if version.discovery is None:
        return {}
    entries = HistogramEntry.objects.filter(
        element=element.element, histogram__in=published(version, version.locales).values("pk")
    )
    days = entries.order_by().values("histogram__locale").annotate(first=Min("first_day"), last=Max("last_day"))
    seen = {row["histogram__locale"]: (row["first"], row["last"]) for row in days}
    decisions = WordDecision.objects.filter(use_case=version.use_case_id, word=element.text)
    newest = {each.locale: each for each in decisions.order_by("locale", "-pk").distinct("locale")}
    return {
        locale: Sighting(*seen.get(locale, (None, None)), newest.get(locale))
        for locale in version.locales
        if locale in seen or locale in newest
    }
