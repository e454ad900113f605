"""Which element changed most over the windows of a trend: of what is published and above the threshold, no other."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, NamedTuple

from reports.models import Version
from reports.results.caching import cached
from reports.results.provenance import CONFIDENCE
from reports.results.trend.elements import Element, elements_of, shown_entries
from reports.results.trend.windows import Published, Slot

# So many windows at each end, if there are twice as many: of days a week, so that no Sunday is compared with a Monday.
MOST_WINDOWS: Final = 7


@dataclass(frozen=True)
class Mover:
    """An element with its mean shares of the reports of the first windows that show something, and of the last."""

    element: Element
    before: float
    after: float
    # How many windows at each end.
    windows: int


class _Mean(NamedTuple):
    """A mean share, and the variance of its error."""

    share: float
    variance: float


def mover_of(version: Version, locale: str, slots: Sequence[Slot], others: Collection[Element]) -> Mover | None:
    """Beside the others, the element whose mean share changed most from the first of these windows to the last.

    It is above the threshold in all of them, and changed by more than its noise explains, with 95 % confidence for all
    elements together (Bonferroni); None if there is no such element.
    """
    shown = [slot.histogram for slot in slots if slot.histogram is not None]
    # Lists of words are of several days and overlap: their errors are not independent.
    windows = min(MOST_WINDOWS if version.discovery is None else 1, len(shown) // 2)
    if windows == 0:
        return None
    first, last = shown[:windows], shown[-windows:]
    known = sorted(other.element for other in others)
    key = f"{[each.pk for each in (*first, *last)]}:{known}"
    return cached(version.use_case, "mover", key, lambda: _mover(version, locale, first, last, known))


def _mover(
    version: Version, locale: str, first: Sequence[Published], last: Sequence[Published], known: Collection[str]
) -> Mover | None:
    before, after = _means(version, locale, first), _means(version, locale, last)
    compared = before.keys() & after.keys()
    if not compared:
        return None
    # In standard errors, to both sides.
    noise = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / (2 * len(compared)))
    changes = {element: abs(after[element].share - before[element].share) for element in compared}
    moved = [
        element
        for element in compared - set(known)
        if changes[element] > noise * math.sqrt(before[element].variance + after[element].variance)
    ]
    if not moved:
        return None
    # Of two that moved as far, always the same one.
    most = max(moved, key=lambda element: (changes[element], element))
    entry = shown_entries(version, locale, last[-1:]).filter(element=most).values_list("element", "display", "category")
    (element,) = elements_of(version, entry)
    return Mover(element, before[most].share, after[most].share, len(first))


def _means(version: Version, locale: str, windows: Sequence[Published]) -> Mapping[str, _Mean]:
    """Of the elements above the threshold in all of these windows: each window counts as much as the others."""
    sizes = {window.pk: window.n for window in windows}
    rows = shown_entries(version, locale, windows).order_by()
    found: dict[str, list[tuple[float, float]]] = {}
    for window, element, estimate, error in rows.values_list("histogram", "element", "estimate", "standard_error"):
        found.setdefault(element, []).append((estimate / sizes[window], (error / sizes[window]) ** 2))
    return {element: _mean(shares) for element, shares in found.items() if len(shares) == len(windows)}


def _mean(shares: Iterable[tuple[float, float]]) -> _Mean:
    estimates, variances = zip(*shares, strict=True)
    return _Mean(sum(estimates) / len(estimates), sum(variances) / len(variances) ** 2)
