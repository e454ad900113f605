"""Tests of whether bit vectors are honest, and bounds of what fakes can do."""

import math
from collections.abc import Mapping

from ...arrays import Array
from ...randomness import flip_threshold
from ...screening import Effect, Finding, judge_vectors
from .mechanism import CountMeanSketch


def outcomes(mechanism: CountMeanSketch, streams: Mapping[str, Array]) -> list[Finding]:
    k, m, flip = mechanism.k, mechanism.m, flip_threshold(mechanism.epsilon / 2) / 2**64
    return [found for stream, records in streams.items() for found in judge_vectors(stream, records, k, m, flip)]


def likeliest_record(mechanism: CountMeanSketch) -> float:
    flip = flip_threshold(mechanism.epsilon / 2) / 2**64
    return float((1 - flip) ** mechanism.m / mechanism.k)


def cells(mechanism: CountMeanSketch) -> list[tuple[int, float]]:
    return [(mechanism.k, 1 / mechanism.k)]


def effect(mechanism: CountMeanSketch) -> Effect:
    """Return what one fake vector does.

    A report adds m/(m-1)·[c·b - c/2 + 1/2 - 1/m] to f̂(d), b being its bit in the bucket of d. So at most
    (m·x - 1)/(m - 1), with x = (c + 1)/2 = e^(ε/2)/(e^(ε/2) - 1); and it takes away at most (m·(x - 1) + 1)/(m - 1).
    Over all buckets of its row, a vector with w ones adds c·m/(m-1)·(w - E W), where E W = (m-1)π + 1 - π: with as many
    ones as an honest one, it raises E W buckets of its own choice.
    """
    m, half = mechanism.m, float(mechanism.epsilon) / 2
    x = -1 / math.expm1(-half)
    flip = 1 / (math.exp(half) + 1)
    return Effect((m * x - 1) / (m - 1), (m * (x - 1) + 1) / (m - 1), math.floor((m - 1) * flip + 1 - flip))


def missing_noise(mechanism: CountMeanSketch, alpha: float) -> None:
    """Return None: a vector of one 1 is found wherever it comes."""
