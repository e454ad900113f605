"""An audit of clients that send one bucket a report, as `test_signs` makes of those that send a sign.

Every check is made at α = 1e-6, and there are eleven in an audit: an honest client raises a false alarm with a chance
of at most 1.1e-5 an audit. Devices draw from the operating system; all else has fixed seeds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.encoding import pack_buckets
from aggregation.mechanisms import LocalHashing
from aggregation.mechanisms.local_hashing.audit import BucketTally
from tests.aggregation.audit.helpers import WORDS, K, devices, fleet
from tests.aggregation.helpers import local_hashing

pytestmark = pytest.mark.statistical

G = 21
BucketClient = Callable[[LocalHashing, NDArray[np.intp]], NDArray[Any]]


def audit_buckets(client: BucketClient, mechanism: LocalHashing, runs: int) -> set[str]:
    """Return what is wrong with a client: empty for an honest one, but for a chance of eleven times α."""
    index = np.arange(runs) // 2 % 2
    tally = BucketTally(mechanism, WORDS)
    tally.add(tally.observe(client(mechanism, index), index, 1 - index, index))
    return tally.faults()


def test_a_device_gives_away_what_it_may() -> None:
    """At ε = 0.5 both estimates are judged; at ε = 8 the test of the command judges that from lies."""
    for epsilon, g, runs in (("0.5", 3, 80_000), ("8", 2982, 8000)):
        assert audit_buckets(devices, local_hashing(epsilon, K, g), runs) == set(), epsilon


def test_a_fleet_gives_away_what_it_may() -> None:
    """At the first both estimates are judged, at the last that from lies alone."""
    for epsilon, g, runs in (("0.5", 2, 200_000), ("16", 65_536, 200_000)):
        assert audit_buckets(fleet, local_hashing(epsilon, K, g), runs) == set(), epsilon


def step_of(rng: np.random.Generator, index: NDArray[np.intp], epsilon: float) -> NDArray[np.intp]:
    """Distance behind the own bucket that an honest device sends: 0, or any other alike."""
    lies = rng.random(len(index)) < (G - 1) / (np.exp(epsilon) + G - 1)
    return np.where(lies, rng.integers(1, G, len(index)), 0)


@dataclass(frozen=True)
class Buckets:
    """A client of one bucket a report, in plain steps: honest but for those that are given."""

    rows: Callable[..., Any] = lambda rng, index: rng.integers(0, K, len(index))
    steps: Callable[..., Any] = step_of

    def __call__(self, mechanism: LocalHashing, index: NDArray[np.intp]) -> NDArray[Any]:
        rng = np.random.default_rng(1)
        rows = self.rows(rng, index)
        own = mechanism.family.buckets(mechanism.family.points(WORDS), 0, K, G)[rows, index]
        return pack_buckets(rows, (own + self.steps(rng, index, float(mechanism.epsilon))) % G, G)


def fixed_rows(_rng: np.random.Generator | None, index: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.random.default_rng(5).integers(0, K, len(index))


def by_row(rng: np.random.Generator, index: NDArray[np.intp], epsilon: float) -> NDArray[np.intp]:
    """As often as it should be over all rows, but less in some of them."""
    rates = np.where(fixed_rows(None, index) % 2, 1.2, 0.8) * (G - 1) / (np.exp(epsilon) + G - 1)
    return np.where(rng.random(len(index)) < rates, rng.integers(1, G, len(index)), 0)


BAD_BUCKETS = {
    # Private, but with more noise than the server corrects for.
    "half of ε": (Buckets(steps=lambda rng, index, epsilon: step_of(rng, index, epsilon / 2)), {"rate of lies"}),
    "lies too seldom": (
        Buckets(steps=lambda rng, index, epsilon: step_of(rng, index, epsilon + 0.3)),
        {"epsilon of buckets", "epsilon of lies", "estimate of lies", "rate of lies"},
    ),
    "never lies": (
        Buckets(steps=lambda _rng, index, _epsilon: np.zeros(len(index), np.intp)),
        {"epsilon of buckets", "epsilon of lies", "estimate of lies", "rate of lies"},
    ),
    "lies to the own bucket": (
        Buckets(
            steps=lambda rng, index, epsilon: np.where(step_of(rng, index, epsilon), rng.integers(0, G, len(index)), 0)
        ),
        {"epsilon of lies", "rate of lies"},
    ),
    "lies to the next bucket": (
        Buckets(steps=lambda rng, index, epsilon: np.minimum(step_of(rng, index, epsilon), 1)),
        {"lies"},
    ),
    "lies tell the element": (
        Buckets(
            steps=lambda rng, index, epsilon: np.where(
                rng.random(len(index)) < 0.05,
                np.minimum(step_of(rng, index, epsilon), 1 + index),
                step_of(rng, index, epsilon),
            )
        ),
        {"lies"},
    ),
    "lies by row": (Buckets(rows=fixed_rows, steps=by_row), {"rate in a row"}),
    "the same lies twice": (
        Buckets(steps=lambda rng, index, epsilon: np.repeat(step_of(rng, index[::2], epsilon), 2)),
        {"dependent reports"},
    ),
    "first row twice as often": (Buckets(rows=lambda rng, index: rng.integers(0, K + 1, len(index)) % K), {"rows"}),
}


@pytest.mark.parametrize("name", BAD_BUCKETS)
def test_wrong_buckets_are_found(name: str) -> None:
    client, expected = BAD_BUCKETS[name]
    assert audit_buckets(client, local_hashing("3", K, G), 400_000) >= expected


def test_nothing_is_found_in_the_bad_buckets_honest_parts() -> None:
    for epsilon in ("1", "3"):
        assert audit_buckets(Buckets(), local_hashing(epsilon, K, G), 400_000) == set()
