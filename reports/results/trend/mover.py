"""Changes over the windows of a trend, and the largest: of what is published and above the threshold, no other."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from aggregation.estimation import Windows, variance_of_change
from reports.models import HistogramEntries, Version
from reports.results.caching import cached
from reports.results.provenance import CONFIDENCE
from reports.results.trend.elements import Element, elements_of
from reports.results.trend.points import by_estimator
from reports.results.trend.trend_kinds import TRENDS
from reports.results.trend.trend_windows import Published, Slot


@dataclass(frozen=True)
class Mover:
    """An element with its mean shares of the reports of the first windows that show something, and of the last."""

    element: Element
    before: float
    after: float
    # How many windows at each end.
    windows: int


class Change(NamedTuple):
    """Mean shares of an element in the first windows and in the last, and whether noise alone hardly explains that."""

    before: float
    after: float
    is_clear: bool


class Changes(NamedTuple):
    """Changes by element, of what is above the threshold in so many `windows` at each end."""

    windows: int
    of: Mapping[str, Change]


def changes_of(version: Version, locale: str, slots: Sequence[Slot]) -> Changes:
    """Compare the first of these windows that show something with the last.

    A change is clear if noise, collisions and who reported do not explain it, with 95 % confidence for all elements
    together (Bonferroni).
    """
    shown = [slot.histogram for slot in slots if slot.histogram is not None]
    windows = min(TRENDS.of(version).compared_windows, len(shown) // 2)
    if windows == 0:
        return Changes(0, {})
    first, last = shown[:windows], shown[-windows:]
    key = repr([each.pk for each in (*first, *last)])
    return Changes(windows, cached(version.use_case, "changes", key, lambda: _changes(version, locale, first, last)))


def mover_of(version: Version, locale: str, slots: Sequence[Slot], others: Collection[Element]) -> Mover | None:
    """Return, beside the others, the element whose mean share changed most of those that changed clearly, if any."""
    newest = [slot.histogram for slot in slots if slot.histogram is not None][-1:]
    known = sorted(other.element for other in others)
    key = f"{[slot.histogram.pk for slot in slots if slot.histogram is not None]}:{known}"
    return cached(
        version.use_case,
        "mover",
        key,
        lambda: _mover(version, locale, changes_of(version, locale, slots), newest, known),
    )


def _mover(
    version: Version, locale: str, changes: Changes, newest: Sequence[Published], known: Collection[str]
) -> Mover | None:
    moved = [element for element, change in changes.of.items() if change.is_clear and element not in known]
    if not moved:
        return None
    # Ties go to the same element every time.
    most = max(moved, key=lambda element: (abs(changes.of[element].after - changes.of[element].before), element))
    entries = HistogramEntries.objects.filter(pk__in=[window.pk for window in newest]).first()
    if entries is None or most not in entries.place_of:
        return None  # the window was replaced in between
    (element,), change = elements_of(version, [entries.texts[entries.place_of[most]]]), changes.of[most]
    return Mover(element, change.before, change.after, changes.windows)


def _changes(version: Version, locale: str, first: Sequence[Published], last: Sequence[Published]) -> dict[str, Change]:
    hidden = TRENDS.of(version).hidden(version, locale)
    kept = HistogramEntries.objects.only("elements", "numbers").in_bulk([each.pk for each in (*first, *last)])
    counts = [_counts(windows, kept, hidden) for windows in (first, last)]
    compared = sorted(counts[0].keys() & counts[1].keys())
    if not compared:
        return {}
    before, after = (_windows(each, compared, windows) for each, windows in zip(counts, (first, last), strict=True))
    change = np.abs(after.mean_share - before.mean_share)
    # In standard errors, to both sides.
    noise = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / (2 * len(compared)))
    used = list(by_estimator(version, (*first, *last)))
    estimator = used[0] if len(used) == 1 else version.mechanism.debiased
    moved = change > noise * np.sqrt(variance_of_change(estimator, before, after))
    found = zip(before.mean_share.tolist(), after.mean_share.tolist(), moved.tolist(), strict=True)
    return {element: Change(*each) for element, each in zip(compared, found, strict=True)}


def _counts(
    windows: Sequence[Published], kept: Mapping[int, HistogramEntries], hidden: Collection[str]
) -> Mapping[str, Mapping[int, float]]:
    """Return the estimates, by window, of the elements above the threshold in all of these windows."""
    found: dict[str, dict[int, float]] = {}
    for entries in (kept[window.pk] for window in windows if window.pk in kept):
        for element, estimate in zip(entries.elements, entries.column("estimate").tolist(), strict=True):
            found.setdefault(element, {})[entries.pk] = estimate
    return {
        element: counts for element, counts in found.items() if len(counts) == len(windows) and element not in hidden
    }


def _windows(
    counts: Mapping[str, Mapping[int, float]], compared: Sequence[str], windows: Sequence[Published]
) -> Windows:
    n = np.array([window.n for window in windows], np.int64)
    return Windows(
        count=np.array([[counts[element][window.pk] for element in compared] for window in windows], np.float64),
        n=n,
        f2=np.array([window.f2 for window in windows], np.float64),
    )
