"""The difference of two windows of a dictionary, added up from the support counts of their periods."""

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aggregation.estimation import Differences, Side, Summary, compare, plug_in_f2
from reports.models import DictionaryRevision, Version
from reports.publication import Window, WindowCounts, count_window
from reports.results.comparison.comparison_rows import FALSE_DISCOVERY_RATE, Compared, ComparisonRow, Share, Verdict

Counts: TypeAlias = NDArray[np.int64]
_VERDICTS = {1: Verdict.MORE_IN_FIRST, -1: Verdict.MORE_IN_SECOND, 0: Verdict.NO_CLEAR_DIFFERENCE}


def compare_elements(
    version: Version,
    revision: DictionaryRevision,
    first: Window,
    second: Window,
    fdr: float = FALSE_DISCOVERY_RATE,
) -> Compared:
    """Compare what is counted in all of both, and above T on one side at least."""
    counted = (count_window(first, revision), count_window(second, revision))
    positions = np.intersect1d(counted[0].positions, counted[1].positions, assume_unique=True)
    left, right = (_side(version, each, positions) for each in counted)
    both = _in_both(first, second)
    shared = None
    if both is not None:
        common = count_window(both, revision)
        shared = Side(_at(common, positions), common.n)
    alpha = version.use_case.false_positive_rate
    differences = compare(version.mechanism.debiased, left, right, alpha=alpha, fdr=fdr, shared=shared)
    listed = dict.fromkeys(np.flatnonzero(differences.listed).tolist())
    place_of = {int(positions[place]): place for place in listed}
    entries = revision.entries.filter(position__in=place_of).order_by("position")
    texts = entries.values_list("position", "element", "display", "category")
    named = ((place_of[position], element, display, category) for position, element, display, category in texts)
    return as_rows(differences, named, overlapping=shared is not None)


def _in_both(first: Window, second: Window) -> Window | None:
    """The periods that two windows have in common."""
    if first.locale != second.locale:
        return None
    keys = {period.pk for period in second.periods}
    periods = tuple(period for period in first.periods if period.pk in keys)
    reach = (max(first.reach[0], second.reach[0]), min(first.reach[1], second.reach[1]))
    return Window(first.version, first.locale, periods, reach) if periods else None


def _at(counted: WindowCounts, positions: NDArray[np.int64]) -> Counts:
    """The counts of some of the elements that are counted, by their positions in the revision."""
    return counted.counts[np.searchsorted(counted.positions, positions)]


def _side(version: Version, counted: WindowCounts, positions: NDArray[np.int64]) -> Side:
    """A side as its histogram has it, if only some of its elements are compared."""
    mechanism, prescribed = version.mechanism, version.use_case.prescribed_threshold
    if len(positions) == len(counted.positions):
        return Side(counted.counts, counted.n, prescribed_threshold=prescribed)
    f2 = plug_in_f2(mechanism.debiased, mechanism.debiased.estimate(counted.counts, counted.n), counted.n)
    size = len(counted.positions)
    return Side(_at(counted, positions), counted.n, f2=f2, size=size, prescribed_threshold=prescribed)


# --- Of words, too ---


def as_sides(parts: Sequence[tuple[Counts, int]]) -> tuple[tuple[Side, Side], Side | None]:
    """The two sides, and what they have in common, from what is of one alone and what is of both."""
    (left, left_n), (right, right_n), (common, common_n) = parts
    sides = (Side(left + common, left_n + common_n), Side(right + common, right_n + common_n))
    return sides, Side(common, common_n) if common_n else None


def as_rows(found: Differences, texts: Iterable[tuple[int, str, str, str]], *, overlapping: bool) -> Compared:
    rows = []
    for place, element, display, category in texts:
        rows.append(
            ComparisonRow(
                element,
                display,
                category,
                _share(found.first, bool(found.above_first[place]), found.bound_first, place),
                _share(found.second, bool(found.above_second[place]), found.bound_second, place),
                _number(found.difference[place]),
                _number(found.lower[place]),
                _number(found.upper[place]),
                _VERDICTS[int(found.direction[place])],
            )
        )
    return Compared(tuple(rows), found.bound_first, found.bound_second, overlapping)


def _share(side: Summary, above: bool, bound: float, place: int) -> Share:
    if not above:
        return Share(at_most=bound)
    return Share(
        float(side.estimate[place]) / side.n,
        float(side.adjusted_lower[place]) / side.n,
        float(side.adjusted_upper[place]) / side.n,
    )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
