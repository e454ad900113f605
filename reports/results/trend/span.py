"""From which day to which there is something to see over days, and where an axis begins."""

import datetime
from collections.abc import Collection, Mapping, Sequence

from django.db.models import Max, Min

from reports.models import Version
from reports.results.counted import Span
from reports.results.trend.trend_windows import Slot, SlotState, lists_of_words


def span_of(version: Version, locales: Collection[str]) -> Span | None:
    """The first and the last day of all periods; of words those on which a list ends."""
    if version.discovery is not None:
        ends = lists_of_words(version, locales).aggregate(first=Min("last_day"), last=Max("last_day"))
    else:
        shown = version.periods.shown(version.use_case.minimum_reports).filter(locale__in=locales)
        ends = shown.aggregate(first=Min("first_day"), last=Max("last_day"))
    return None if ends["first"] is None else Span(ends["first"], ends["last"])


def since_first_reports(slots: Mapping[str, Sequence[Slot]]) -> dict[str, list[Slot]]:
    """Without the days before any of the locales shows something, if some do: so much as there is."""
    first = min(
        (slot.first for each in slots.values() for slot in each if slot.state != SlotState.NOT_YET), default=None
    )
    if first is None:
        return {locale: list(each) for locale, each in slots.items()}
    return {locale: [slot for slot in each if slot.first >= first] for locale, each in slots.items()}


def axis_begin(version: Version, slots: Mapping[str, Sequence[Slot]], otherwise: datetime.date) -> datetime.date:
    """The first day of the axis: lists of words stand at their last days, and that is what one asks for them by."""
    places = [each[0].last if version.discovery is not None else each[0].first for each in slots.values() if each]
    return min(places, default=otherwise)
