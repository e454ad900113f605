"""An audit of clients that send one sign a report, as `test_bits` makes of those that send bits.

With d and d' reported, the event {the sign is that of d} has the likelihood ratio e^ε exactly at the coordinates where
the signs of d and d' differ. Every check is made at α = 1e-6, and there are ten in an audit: an honest client
raises a false alarm with a chance of at most 1e-5 an audit. Devices draw from the operating system; all else has
fixed seeds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.encoding import pack_coordinates
from aggregation.mechanisms import HadamardCountMeanSketch
from aggregation.mechanisms.hadamard_count_mean_sketch.audit import SignTally
from aggregation.sketches import are_negative
from tests.aggregation.audit.helpers import WORDS, K, M, devices, fleet
from tests.aggregation.helpers import hadamard_count_mean

pytestmark = pytest.mark.statistical

SignClient = Callable[[HadamardCountMeanSketch, NDArray[np.intp]], NDArray[Any]]


def audit_signs(client: SignClient, mechanism: HadamardCountMeanSketch, runs: int) -> set[str]:
    """Return what is wrong with a client: empty for an honest one, but for a chance of ten times α."""
    index = np.arange(runs) // 2 % 2
    tally = SignTally(mechanism, WORDS)
    tally.add(tally.observe(client(mechanism, index), index))
    return tally.faults()


def test_a_device_gives_away_what_it_may_by_a_sign() -> None:
    """At ε = 0.5 the estimate where the signs differ, half of all reports, has a standard error of 0.0104, of which the
    tolerance is 4.8, so that it is exceeded with a chance below 1e-6. At the other, limit and rate alone are judged.
    """
    for epsilon, runs in (("0.5", 80_000), ("8", 8000)):
        assert audit_signs(devices, hadamard_count_mean(epsilon, K, M), runs) == set(), epsilon


def test_a_fleet_gives_away_what_it_may_by_a_sign() -> None:
    """At ε = 0.5 the estimates are judged."""
    for epsilon, runs in (("0.5", 1_200_000), ("16", 200_000)):
        assert audit_signs(fleet, hadamard_count_mean(epsilon, K, M), runs) == set(), epsilon


def independent(rng: np.random.Generator, n: int, epsilon: float) -> NDArray[np.bool_]:
    flipped: NDArray[np.bool_] = rng.random(n) < 1 / (np.exp(epsilon) + 1)
    return flipped


def fixed_rows(_rng: np.random.Generator | None, index: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.random.default_rng(5).integers(0, K, len(index))


@dataclass(frozen=True)
class Signs:
    """A client of one sign a report, in plain steps: honest but for those that are given."""

    rows: Callable[..., Any] = lambda rng, index: rng.integers(0, K, len(index))
    coordinates: Callable[..., Any] = lambda rng, index, _: rng.integers(0, M, len(index))
    flips: Callable[..., Any] = independent
    are_negative: Callable[..., Any] = are_negative

    def __call__(self, mechanism: HadamardCountMeanSketch, index: NDArray[np.intp]) -> NDArray[Any]:
        rng, n = np.random.default_rng(1), len(index)
        rows = self.rows(rng, index)
        coordinates = self.coordinates(rng, index, rows)
        buckets = mechanism.family.buckets(mechanism.family.points(WORDS), 0, K, M)[rows, index]
        negative = self.are_negative(buckets, coordinates.astype(np.uint32))
        return pack_coordinates(rows, coordinates, negative == self.flips(rng, n, float(mechanism.epsilon)), M)


def by_row(rng: np.random.Generator, n: int, epsilon: float) -> NDArray[np.bool_]:
    """As often as it should be over all rows, but less in some of them."""
    rates = np.where(fixed_rows(None, np.empty(n, np.intp)) % 2, 1.3, 0.7) / (np.exp(epsilon) + 1)
    flipped: NDArray[np.bool_] = rng.random(n) < rates
    return flipped


BAD_SIGNS = {
    # Private, but twice as noisy as the server corrects for.
    "half of ε": (Signs(flips=lambda rng, n, epsilon: independent(rng, n, epsilon / 2)), {"rate of a sign"}),
    "twice ε": (
        Signs(flips=lambda rng, n, epsilon: independent(rng, n, 2 * epsilon)),
        {"epsilon of signs", "epsilon of all signs", "estimate of signs", "rate of a sign"},
    ),
    "keeps what it should flip": (
        Signs(flips=lambda rng, n, epsilon: ~independent(rng, n, epsilon)),
        {"rate of a sign"},
    ),
    "never flips the first of eight": (
        Signs(flips=lambda rng, n, epsilon: independent(rng, n, epsilon) & (np.arange(n) % 8 > 0)),
        {"epsilon of all signs", "rate of a sign"},
    ),
    "flips by row": (Signs(rows=fixed_rows, flips=by_row), {"rate in a row"}),
    "the same flips twice": (
        Signs(flips=lambda rng, n, epsilon: np.repeat(independent(rng, n // 2, epsilon), 2)),
        {"dependent reports"},
    ),
    "sign does not depend on the coordinate": (
        Signs(are_negative=lambda buckets, drawn: are_negative(buckets, np.full_like(drawn, M - 1))),
        {"rate of a sign"},
    ),
    "always positive": (Signs(are_negative=lambda buckets, _: np.zeros(len(buckets), bool)), {"rate of a sign"}),
    "first row twice as often": (
        Signs(rows=lambda rng, index: rng.integers(0, K + 1, len(index)) % K),
        {"rows"},
    ),
    # It tells nothing apart, but without it the sums do not turn back into counts.
    "never coordinate 0": (Signs(coordinates=lambda rng, index, _: rng.integers(1, M, len(index))), {"coordinates"}),
    "coordinates that tell": (
        Signs(
            coordinates=lambda rng, index, _: np.where(
                rng.random(len(index)) < 0.1, index, rng.integers(0, M, len(index))
            )
        ),
        {"coordinates"},
    ),
    # Each by itself is uniform, both together are not.
    "coordinates by row": (
        Signs(rows=fixed_rows, coordinates=lambda rng, index, rows: rows + K * rng.integers(0, M // K, len(index))),
        {"cells"},
    ),
}


@pytest.mark.parametrize("name", BAD_SIGNS)
def test_wrong_signs_are_found(name: str) -> None:
    """The most runs are what it takes at ε = 4 to judge the estimate."""
    client, expected = BAD_SIGNS[name]
    runs = 1_100_000 if name == "twice ε" else 200_000
    assert audit_signs(client, hadamard_count_mean("4", K, M), runs) >= expected


def test_nothing_is_found_in_the_bad_signs_honest_parts() -> None:
    for epsilon in ("1", "4"):
        assert audit_signs(Signs(), hadamard_count_mean(epsilon, K, M), 300_000) == set()
