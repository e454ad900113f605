"""Windows of all versions of a use case along one axis: side by side, each with its own error, and never added up.

Days of another version are what it has released, as on its own pages. Where its estimates are of the same elements,
they stand on the axis of the version that is looked at; else it is said which version counted these days.
"""

import datetime
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from reports.models import Version
from reports.results.counted import Span
from reports.results.trend.query import TrendQuery
from reports.results.trend.trend_kinds import TRENDS
from reports.results.trend.trend_windows import Published, Slot, SlotState
from reports.results.versions import counts_alike

_NOTHING = datetime.date.min


def span_of(version: Version, others: Iterable[Version], locales: Sequence[str]) -> Span | None:
    """Return the first day of which any of the versions shows something, and the last of the version looked at.

    As long as that shows nothing there, the last of all.
    """
    own = TRENDS.of(version).span(version, locales)
    beside = [TRENDS.of(other).span(other, locales) for other in others if counts_alike(version, other)]
    known = [span for span in (own, *beside) if span is not None]
    if not known:
        return None
    last = max(span.last for span in known) if own is None else own.last
    return Span(min(span.first for span in known), last)


def newest_of(version: Version, others: Iterable[Version], locales: Sequence[str]) -> dict[str, Slot]:
    """Return the newest window of each locale: of the version, or else of the newest other that shows one there."""
    found: dict[str, Slot] = {}
    for each in (version, *(other for other in others if counts_alike(version, other))):
        if rest := [locale for locale in locales if locale not in found]:
            windows = TRENDS.of(each).newest([(each, locale) for locale in rest])
            found |= {locale: shown_in(each, window) for (_key, locale), window in windows.items()}
    return {locale: found.get(locale, shown_in(version, None)) for locale in locales}


def newest_of_each(versions: Iterable[Sequence[Version]]) -> dict[int, dict[str, Slot]]:
    """Return the newest window of each locale of many versions, by their keys, each given before its others.

    A fixed number of queries, unless another version has to stand in.
    """
    own = [each for each in versions if each]
    windows: dict[tuple[int, str], Published] = {}
    for trend, looked_at in TRENDS.groups(version for version, *_others in own):
        windows |= trend.newest([(version, locale) for version in looked_at for locale in version.locales])
    found = {}
    for version, *others in own:
        slots = {locale: shown_in(version, windows.get((version.pk, locale))) for locale in version.locales}
        missing = [locale for locale, slot in slots.items() if slot.histogram is None]
        alike = [other for other in others if missing and counts_alike(version, other)]
        found[version.pk] = slots | (newest_of(alike[0], alike[1:], missing) if alike else {})
    return found


def shown_in(version: Version, window: Published | None) -> Slot:
    """Return the slot of a window by itself, or of nothing."""
    if window is None:
        return Slot(_NOTHING, _NOTHING, SlotState.NOT_YET, version)
    return Slot(window.first_day, window.last_day, SlotState.SHOWN, version, window)


def slots_of(
    version: Version, others: Iterable[Version], locales: Sequence[str], query: TrendQuery, span: Span, step: int
) -> tuple[dict[str, list[Slot]], datetime.date, datetime.date]:
    """Return the slots that a query means, and the first and the last day of the axis.

    Without a first day it begins where any of the locales shows something, if one does. Raises `QueryError`.
    """
    trend = TRENDS.of(version)
    first, last = query.range(span.last, step)
    slots = trend.slots(version, locales, first, last, step)
    for other in others:
        shared = [locale for locale in locales if locale in other.locales]
        theirs = TRENDS.of(other).slots(other, shared, first, last, step) if shared else {}
        slots |= {locale: _merged(version, slots[locale], each) for locale, each in theirs.items()}
    if query.first is None:
        shown = [slot.first for each in slots.values() for slot in each if slot.state != SlotState.NOT_YET]
        if shown:
            begins = min(shown)
            slots = {locale: [slot for slot in each if slot.first >= begins] for locale, each in slots.items()}
        first = min((trend.day_of(each[0]) for each in slots.values() if each), default=first)
    return slots, first, last


def _merged(version: Version, slots: Sequence[Slot], theirs: Sequence[Slot]) -> list[Slot]:
    """Put what another version shows beside slots, in place of those that show nothing."""
    shown = [slot for slot in theirs if slot.histogram is not None]
    if not shown:
        return list(slots)
    places = {(slot.first, slot.last): slot.version for slot in shown}
    if counts_alike(version, shown[0].version):
        kept = [slot for slot in slots if slot.histogram is not None or (slot.first, slot.last) not in places]
        beside = sorted((*kept, *shown), key=lambda slot: (slot.last, slot.first, slot.version.number))
        return list(_told_apart(beside))
    return [
        slot._replace(state=SlotState.OTHER_VERSION, version=places[slot.first, slot.last])
        if slot.state == SlotState.NOT_YET and (slot.first, slot.last) in places
        else slot
        for slot in slots
    ]


def _told_apart(slots: Iterable[Slot]) -> Iterator[Slot]:
    """Say of each week how many of the days that it lacks other versions counted."""
    for _place, group in groupby(slots, key=lambda slot: (slot.first, slot.last)):
        together = [(slot, _lacking(slot)) for slot in group]
        in_none = set[int].intersection(*(lacking for _slot, lacking in together))
        yield from (slot._replace(elsewhere=len(lacking - in_none)) for slot, lacking in together)


def _lacking(slot: Slot) -> set[int]:
    """Return the days of a week, by their numbers, that are in none of its periods."""
    return {day for first, last in slot.left_out for day in range(first.toordinal(), last.toordinal() + 1)}
