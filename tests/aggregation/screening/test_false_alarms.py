"""Honest batches raise no more alarms than stated."""

from collections.abc import Iterator
from decimal import Decimal

import numpy as np
import pytest
from scipy import stats

from aggregation.mechanisms import (
    CountMeanSketch,
    HadamardCountMeanSketch,
    LocalHashing,
    SampledFragmentPuzzle,
    SequenceFragmentPuzzle,
)
from aggregation.registry import Mechanism
from aggregation.screening import screen
from aggregation.sketches import LABELS, QuadraticM31
from tests.aggregation.screening.attacks import FRUITS, SEED, WORDS, Streams, honest

BATCHES = 1000
# Large, so that a test whose chances are too small by a factor of a few is seen.
ALPHA = 0.05
# The chance of a false alarm of this test itself.
MILLIONTH = 1e-6


def batches() -> Iterator[tuple[Mechanism, Streams]]:
    """Batches of all mechanisms, sizes and populations: all saw one thing, or three things equally often."""
    rng = np.random.default_rng(1000)
    for _ in range(BATCHES):
        epsilon = Decimal(str(rng.choice([0.1, 1, 2, 4, 8, 16])))
        k, m = int(rng.choice([1, 3, 64, 1000, 65536])), int(rng.choice([8, 16, 64, 1024]))
        n, different = int(rng.choice([1, 2, 10, 100, 500])), int(rng.choice([1, 3]))
        family = QuadraticM31(SEED)
        mechanism: Mechanism
        match rng.integers(5):
            case 0:
                mechanism, seen = CountMeanSketch(epsilon, k, m, family), FRUITS
            case 1:
                mechanism, seen = HadamardCountMeanSketch(epsilon, k, m, family), FRUITS
            case 2:
                mechanism, seen = LocalHashing(epsilon, max(k, 2), int(rng.choice([2, 3, 56, 2982])), family), FRUITS
            case 3:
                g, share = int(rng.choice([2, 56, 2982])), Decimal(str(rng.choice([0.1, 0.8, 0.999])))
                halves = [LocalHashing(epsilon, max(k, 2) % 5000, g, QuadraticM31(SEED, each)) for each in LABELS]
                mechanism, seen = SampledFragmentPuzzle(halves[0], halves[1], 6, share), WORDS
            case _:
                words = CountMeanSketch(epsilon, min(k, 1000), m, family)
                fragments = CountMeanSketch(epsilon, min(k, 1000), m, QuadraticM31(SEED, "fragment"))
                mechanism, seen = SequenceFragmentPuzzle(words, fragments, 6), WORDS
        yield mechanism, honest(mechanism, n, rng, seen[:different])


@pytest.mark.statistical
def test_a_thousand_honest_batches() -> None:
    """No alarm at the default rate (1e-3 is the chance of one, in all), and at most as many as a large rate allows."""
    chances = [screen(mechanism, streams, ALPHA) for mechanism, streams in batches()]
    smallest = sorted(min((found.p_value for found in findings), default=1.0) for findings in chances)
    alarms = sum(chance <= ALPHA for chance in smallest)
    assert smallest[0] > 1e-6
    assert stats.binom.sf(alarms - 1, BATCHES, ALPHA) > MILLIONTH
    # Not so careful either that nothing could ever be found.
    assert alarms >= 3
