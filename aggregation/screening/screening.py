"""All tests of a batch's records of one mechanism, with one stated chance of a false alarm."""

from collections.abc import Mapping
from functools import singledispatch
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from ..mechanisms import SequenceFragmentPuzzle
from ..mechanisms.count_mean_sketch import CountMeanSketch
from ..mechanisms.hadamard_count_mean_sketch import HadamardCountMeanSketch
from ..mechanisms.sequence_fragment_puzzle import WORDS
from ..randomness import flip_threshold
from ..registry import Mechanism
from .agreement import judge_agreement
from .findings import Finding
from .ones import judge_ones
from .replays import judge_replays
from .summaries import Occupied, summarize_coordinates, summarize_vectors
from .tails import Count, bounded
from .uniformity import judge_evenness, judge_occupancy

# Of a batch: one in a million honest batches waits for a person for nothing.
FALSE_ALARM_RATE: Final = 1e-6


def screen(mechanism: Mechanism, streams: Mapping[str, NDArray[Any]], alpha: float = FALSE_ALARM_RATE) -> list[Finding]:
    """Find what honest devices would not have sent.

    Parameters
    ----------
    mechanism : Mechanism
        What the records were made with, or say they were.
    streams : mapping of str to structured ndarray
        Sorted records by stream, as they lie in shards; memory maps are read a block at a time.
    alpha : float
        The most that the chance of any finding may be, if all records are honest.

    Returns
    -------
    list of Finding
        The tests that fail. Their p-values are adjusted for the number of tests (Bonferroni): each bounds the chance
        that any test of honest records is as surprising.

    Raises
    ------
    ParameterError
        If alpha is not between 0 and 1, or there are no tests for the mechanism.

    Notes
    -----
    *Honest* means: every report was made by the mechanism, from any element whatever, independently of the others. No
    test looks for elements, and so none depends on what they are, nor tells anything about them.
    """
    if not 0 < alpha < 1:
        raise ParameterError("alpha", f"alpha must be above 0 and below 1, not {alpha!r}.")
    outcomes = _outcomes(mechanism, {name: records for name, records in streams.items() if len(records)})
    adjusted = [Finding(one.test, one.stream, bounded(len(outcomes) * one.p_value), one.facts) for one in outcomes]
    return [one for one in adjusted if one.p_value <= alpha]


@singledispatch
def _outcomes(mechanism: Mechanism, streams: Mapping[str, NDArray[Any]]) -> list[Finding]:
    """Return the outcome of every test, failed or not."""
    raise ParameterError("algorithm", f"There are no tests for records of {mechanism.algorithm}.")


@_outcomes.register
def _of_vectors(mechanism: CountMeanSketch, streams: Mapping[str, NDArray[Any]]) -> list[Finding]:
    return [outcome for stream, records in streams.items() for outcome in _vectors(mechanism, stream, records)]


@_outcomes.register
def _of_coordinates(mechanism: HadamardCountMeanSketch, streams: Mapping[str, NDArray[Any]]) -> list[Finding]:
    outcomes: list[Finding] = []
    for stream, records in streams.items():
        k, m = mechanism.k, mechanism.m
        summary = summarize_coordinates(records, m)
        n, cells = summary.n, k * m
        fullest = Count(summary.fullest_cell, n, 1 / cells, cells) if cells > 1 else Count(0, n, 0.5, 1)
        flip = _probability(flip_threshold(mechanism.epsilon))
        facts = {"seen": summary.fullest_cell, "expected": n / cells, "records": n}
        outcomes += [
            judge_evenness("uneven_rows", stream, summary.rows, k),
            judge_evenness("uneven_coordinates", stream, summary.coordinates, m),
            judge_occupancy("cells_in_use", stream, summary.cells, n, cells),
            Finding("repeated_cell", stream, fullest.chance(), facts),
            _signs(stream, summary.origin_minus, summary.origin, flip),
            judge_agreement(stream, summary.pairs, flip),
        ]
    return outcomes


@_outcomes.register
def _of_fragments(mechanism: SequenceFragmentPuzzle, streams: Mapping[str, NDArray[Any]]) -> list[Finding]:
    outcomes: list[Finding] = []
    for stream, records in streams.items():
        outcomes += _vectors(mechanism.words if stream == WORDS else mechanism.fragments, stream, records)
    sizes = [len(streams.get(mechanism.fragment_stream(position), ())) for position in mechanism.positions]
    used = np.flatnonzero(sizes)
    outcomes.append(judge_evenness("uneven_positions", "", Occupied(used, np.array(sizes, np.int64)[used]), len(sizes)))
    return outcomes


def _vectors(mechanism: CountMeanSketch, stream: str, records: NDArray[Any]) -> list[Finding]:
    k, m, flip = mechanism.k, mechanism.m, _probability(flip_threshold(mechanism.epsilon / 2))
    summary = summarize_vectors(records, m)
    return [
        *judge_ones(stream, summary, m, flip),
        judge_evenness("uneven_rows", stream, summary.rows, k),
        judge_occupancy("rows_in_use", stream, len(summary.rows.index), summary.n, k),
        *judge_replays(stream, summary, k, m, flip),
    ]


def _signs(stream: str, minus: int, n: int, flip: float) -> Finding:
    """Test the signs at coordinate 0, which are + before noise whatever the element: minus ~ Binomial(n, π)."""
    facts = {"seen": minus, "expected": n * flip, "records": n}
    chances = [Count(minus, n, flip, 2).chance(), Count(n - minus, n, 1 - flip, 2).chance()] if n else [1.0]
    return Finding("signs", stream, min(chances), facts)


def _probability(threshold: int) -> float:
    return threshold / 2**64
