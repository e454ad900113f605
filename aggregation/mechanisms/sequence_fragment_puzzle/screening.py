"""Tests of whether reports of words and fragments are honest, and bounds of what fakes can do to words."""

from collections.abc import Mapping

import numpy as np

from ...arrays import Array
from ...screening import Effect, Finding, Occupied, judge_evenness
from ..count_mean_sketch import screening as vectors
from .mechanism import SequenceFragmentPuzzle


def outcomes(mechanism: SequenceFragmentPuzzle, streams: Mapping[str, Array]) -> list[Finding]:
    found: list[Finding] = []
    for stream, records in streams.items():
        found += vectors.outcomes(mechanism.sketch_of(stream), {stream: records})
    sizes = [len(streams.get(mechanism.fragment_stream(position), ())) for position in mechanism.positions]
    used = np.flatnonzero(sizes)
    found.append(judge_evenness("uneven_positions", "", Occupied(used, np.array(sizes, np.int64)[used]), len(sizes)))
    return found


def likeliest_record(mechanism: SequenceFragmentPuzzle) -> float:
    return vectors.likeliest_record(mechanism.words)


def cells(mechanism: SequenceFragmentPuzzle) -> list[tuple[int, float]]:
    return vectors.cells(mechanism.words)


def effect(mechanism: SequenceFragmentPuzzle) -> Effect:
    return vectors.effect(mechanism.words)


def missing_noise(mechanism: SequenceFragmentPuzzle, alpha: float) -> None:
    """Return None: as of the vectors that reports are made of."""
