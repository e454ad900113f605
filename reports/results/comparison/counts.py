"""The difference of two published histograms of a dictionary, added up from the read-outs that they name."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aggregation.estimation import Differences, Side, Summary, compare
from reports.models import DictionaryRevision, Histogram, ReadOut, Version
from reports.results.comparison.rows import FALSE_DISCOVERY_RATE, Compared, Row, Share, Verdict
from reports.results.known import sum_of

Counts: TypeAlias = NDArray[np.int64]
_VERDICTS = {1: Verdict.MORE_IN_FIRST, -1: Verdict.MORE_IN_SECOND, 0: Verdict.NO_CLEAR_DIFFERENCE}


def compare_elements(
    version: Version,
    revision: DictionaryRevision,
    first: Histogram,
    second: Histogram,
    fdr: float = FALSE_DISCOVERY_RATE,
) -> Compared | None:
    """Those above T on one side at least; None if what the histograms were added up from is not kept."""
    found = read_outs_of(version, revision, first, second)
    if found is None:
        return None
    parts = [(sum_of(read_outs, revision.size), reports_in(read_outs)) for read_outs in found]
    (left, right), shared = as_sides(parts)
    left = replace(left, prescribed_threshold=first.prescribed_threshold)
    right = replace(right, prescribed_threshold=second.prescribed_threshold)
    differences = compare(version.mechanism.debiased, left, right, alpha=first.alpha, fdr=fdr, shared=shared)
    listed = np.flatnonzero(differences.listed).tolist()
    entries = revision.entries.filter(position__in=listed).order_by("position")
    texts = entries.values_list("position", "element", "display", "category")
    return as_rows(differences, texts, overlapping=shared is not None)


# --- Of words, too ---


def read_outs_of(
    version: Version, revision: DictionaryRevision | None, first: Histogram, second: Histogram
) -> tuple[list[ReadOut], list[ReadOut], list[ReadOut]] | None:
    """Those of the first side alone, of the second alone, and of both; None if some of them are not kept."""
    wanted = {(each.locale, sealing) for each in (first, second) for sealing in each.sealings}
    rows = ReadOut.objects.filter(
        version=version,
        revision=revision,
        locale__in={first.locale, second.locale},
        sealing__in={sealing for _locale, sealing in wanted},
    ).order_by("day", "sealing_id")
    kept = {(row.locale, row.sealing_id): row for row in rows}
    if not first.sealings or not second.sealings or not wanted <= kept.keys():
        return None
    left, right = (
        {(each.locale, sealing): kept[each.locale, sealing] for sealing in each.sealings} for each in (first, second)
    )
    return (
        [row for key, row in left.items() if key not in right],
        [row for key, row in right.items() if key not in left],
        [row for key, row in left.items() if key in right],
    )


def reports_in(read_outs: Iterable[ReadOut]) -> int:
    return sum(read_out.n for read_out in read_outs)


def as_sides(parts: Sequence[tuple[Counts, int]]) -> tuple[tuple[Side, Side], Side | None]:
    """The two sides, and what they have in common, from what is of one alone and what is of both."""
    (left, left_n), (right, right_n), (common, common_n) = parts
    sides = (Side(left + common, left_n + common_n), Side(right + common, right_n + common_n))
    return sides, Side(common, common_n) if common_n else None


def as_rows(found: Differences, texts: Iterable[tuple[int, str, str, str]], *, overlapping: bool) -> Compared:
    rows = []
    for place, element, display, category in texts:
        rows.append(
            Row(
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
