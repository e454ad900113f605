from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggregation.screening import Count, Effect, Finding, Occupied, judge_evenness

from .encoding import BOXES
from .mechanism import LetterBallot


def outcomes(mechanism: LetterBallot, streams: Mapping[str, NDArray[Any]]) -> list[Finding]:
    if not streams:
        return []
    sizes = np.array([len(streams.get(box, ())) for box in BOXES], np.int64)
    used = np.flatnonzero(sizes)
    state = mechanism.empty_state()
    mechanism.add_to_state(state, streams)
    counts = mechanism.read_state(state, np.arange(len(mechanism.letters)))
    most = Count(int(counts.max()), int(sizes.sum()), mechanism.own, len(counts))
    return [
        judge_evenness("uneven_boxes", "", Occupied(used, sizes[used]), 2),
        Finding("too_clear", "", most.chance(), {"seen": int(counts.max()), "records": int(sizes.sum())}),
    ]


def likeliest_record(mechanism: LetterBallot) -> float:
    return 1.0


def cells(mechanism: LetterBallot) -> list[tuple[int, float]]:
    return [(len(BOXES), 1 / len(BOXES))]


def effect(mechanism: LetterBallot) -> Effect:
    clear = mechanism.own - mechanism.other
    return Effect((1 - mechanism.other) / clear, mechanism.other / clear, None)


def missing_noise(mechanism: LetterBallot, alpha: float) -> None:
    """Return None, so that nothing is promised."""
