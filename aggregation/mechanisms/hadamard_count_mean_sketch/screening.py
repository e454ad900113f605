"""Tests of whether signed coordinates are honest, and bounds of what fakes can do."""

import math
from collections.abc import Mapping
from typing import Final

from ...arrays import Array
from ...randomness import flip_threshold
from ...screening import (
    Count,
    Effect,
    Finding,
    MissingNoise,
    judge_agreement,
    judge_evenness,
    judge_occupancy,
    summarize_coordinates,
)
from .mechanism import HadamardCountMeanSketch

# Tests of a stream's records; each looks at both sides.
_TESTS: Final = 6


def outcomes(mechanism: HadamardCountMeanSketch, streams: Mapping[str, Array]) -> list[Finding]:
    found: list[Finding] = []
    for stream, records in streams.items():
        k, m = mechanism.k, mechanism.m
        summary = summarize_coordinates(records, m)
        n, all_cells = summary.n, k * m
        fullest = Count(summary.fullest_cell, n, 1 / all_cells, all_cells) if all_cells > 1 else Count(0, n, 0.5, 1)
        flip = flip_threshold(mechanism.epsilon) / 2**64
        facts = {"seen": summary.fullest_cell, "expected": n / all_cells, "records": n}
        found += [
            judge_evenness("uneven_rows", stream, summary.rows, k),
            judge_evenness("uneven_coordinates", stream, summary.coordinates, m),
            judge_occupancy("cells_in_use", stream, summary.cells, n, all_cells),
            Finding("repeated_cell", stream, fullest.chance(), facts),
            _signs(stream, summary.origin_minus, summary.origin, flip),
            judge_agreement("agreeing_signs", stream, summary.pairs, flip**2 + (1 - flip) ** 2),
        ]
    return found


def likeliest_record(mechanism: HadamardCountMeanSketch) -> float:
    """Return 1: signed coordinates come twice by chance, so that none tells anything."""
    return 1.0


def cells(mechanism: HadamardCountMeanSketch) -> list[tuple[int, float]]:
    return [(mechanism.k * mechanism.m, 1 / (mechanism.k * mechanism.m))]


def effect(mechanism: HadamardCountMeanSketch) -> Effect:
    """Return what one fake sign does: it adds m/(m-1)·[±c - 1/m] to f̂(d), with c = (e^ε + 1)/(e^ε - 1)."""
    m, c = mechanism.m, 1 / math.tanh(float(mechanism.epsilon) / 2)
    return Effect((m * c - 1) / (m - 1), (m * c + 1) / (m - 1), None)


def missing_noise(mechanism: HadamardCountMeanSketch, alpha: float) -> MissingNoise:
    """Return when a batch without noise is found at a rate of false alarms.

    Notes
    -----
    Signs of one cell agree with probability (1 + F2)/2 without noise, F2 being the sum of squared shares, and honest
    ones with at most (1 + ρ²)/2, ρ = tanh(ε/2). At coordinate 0 not one of n/m signs is minus, by chance with
    probability (1 - π)^(n/m).
    """
    half = float(mechanism.epsilon) / 2
    minus = 1 / (math.exp(2 * half) + 1)
    return MissingNoise(math.tanh(half), math.ceil(mechanism.m * math.log(2 * _TESTS / alpha) / -math.log1p(-minus)))


def _signs(stream: str, minus: int, n: int, flip: float) -> Finding:
    """Test the signs at coordinate 0, which are + before noise whatever the element: minus ~ Binomial(n, π)."""
    facts = {"seen": minus, "expected": n * flip, "records": n}
    chances = [Count(minus, n, flip, 2).chance(), Count(n - minus, n, 1 - flip, 2).chance()] if n else [1.0]
    return Finding("signs", stream, min(chances), facts)
