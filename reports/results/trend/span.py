"""From which day to which there is something to see over days, and where an axis begins."""

import datetime
from collections.abc import Collection, Mapping, Sequence

from django.db.models import Max, Min

from reports.models import ReadOut, Version
from reports.results.counted import Span
from reports.results.trend.windows import Slot, SlotState, published


def span_of(version: Version, locales: Collection[str]) -> Span | None:
    """The first and the last day of which something is counted; of words those on which a list ends."""
    shown = published(version, locales).aggregate(first=Min("last_day"), last=Max("last_day"))
    found = [shown]
    if version.discovery is None:
        read = ReadOut.objects.filter(version=version, locale__in=locales)
        found.append(read.aggregate(first=Min("day"), last=Max("day")))
    ends = [(each["first"], each["last"]) for each in found if each["first"] is not None]
    return Span(min(first for first, _last in ends), max(last for _first, last in ends)) if ends else None


def since_first_reports(slots: Mapping[str, Sequence[Slot]]) -> dict[str, list[Slot]]:
    """Without the days before any of the locales had reports, if some had: so much as there is."""
    first = min(
        (slot.first for each in slots.values() for slot in each if slot.state != SlotState.NO_DATA), default=None
    )
    if first is None:
        return {locale: list(each) for locale, each in slots.items()}
    return {locale: [slot for slot in each if slot.first >= first] for locale, each in slots.items()}


def axis_begin(version: Version, slots: Mapping[str, Sequence[Slot]], otherwise: datetime.date) -> datetime.date:
    """The first day of the axis: lists of words stand at their last days, and that is what one asks for them by."""
    places = [each[0].last if version.discovery is not None else each[0].first for each in slots.values() if each]
    return min(places, default=otherwise)
