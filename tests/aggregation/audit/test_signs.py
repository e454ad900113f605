"""The same audit of clients that send one sign a report, as `test_audit` makes of those that send bits.

With d and d' reported, the event {the sign is that of d} has the likelihood ratio e^ε exactly at the coordinates where
the signs of d and d' differ. Every check is made at α = 1e-6, and there are ten in an audit: an honest client
raises a false alarm with a chance of at most 1e-5 an audit. Devices draw from the operating system; all else has
fixed seeds.
"""

from collections.abc import Callable
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
    """The estimate where the signs differ, half of all reports, has a standard error of 0.0104. The tolerance is 4.8 of
    them, so that it is exceeded with a chance below 1e-6. At other ε the threshold of a flip differs, which is exact.
    """
    assert audit_signs(devices, hadamard_count_mean("0.5", K, M), 80_000) == set()


def test_a_fleet_gives_away_what_it_may_by_a_sign() -> None:
    """At ε = 0.5 the estimates are judged."""
    for epsilon, runs in (("0.5", 1_200_000), ("4", 200_000), ("16", 200_000)):
        assert audit_signs(fleet, hadamard_count_mean(epsilon, K, M), runs) == set(), epsilon


class BadSigns:
    """An honest client of one sign a report, in plain steps; those that are not override one of them."""

    def rows(self, rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
        return rng.integers(0, K, len(index))

    def coordinates(self, rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
        return rng.integers(0, M, len(index))

    def flips(self, rng: np.random.Generator, n: int, epsilon: float) -> NDArray[np.bool_]:
        flipped: NDArray[np.bool_] = rng.random(n) < 1 / (np.exp(epsilon) + 1)
        return flipped

    def are_negative(self, buckets: NDArray[np.uint32], coordinates: NDArray[np.uint32]) -> NDArray[np.bool_]:
        return are_negative(buckets, coordinates)

    def __call__(self, mechanism: HadamardCountMeanSketch, index: NDArray[np.intp]) -> NDArray[Any]:
        rng, n = np.random.default_rng(1), len(index)
        rows, coordinates = self.rows(rng, index), self.coordinates(rng, index)
        buckets = mechanism.family.buckets(mechanism.family.points(WORDS), 0, K, M)[rows, index]
        negative = self.are_negative(buckets, coordinates.astype(np.uint32))
        return pack_coordinates(rows, coordinates, negative == self.flips(rng, n, float(mechanism.epsilon)), M)


class HalfTheEpsilon(BadSigns):
    """Private, but twice as noisy as the server corrects for."""

    def flips(self, rng: np.random.Generator, n: int, epsilon: float) -> NDArray[np.bool_]:
        return super().flips(rng, n, epsilon / 2)


class TwiceTheEpsilon(BadSigns):
    def flips(self, rng: np.random.Generator, n: int, epsilon: float) -> NDArray[np.bool_]:
        return super().flips(rng, n, 2 * epsilon)


class FlipsTheOthers(BadSigns):
    """Keeps what it should flip and flips what it should keep."""

    def flips(self, rng: np.random.Generator, n: int, epsilon: float) -> NDArray[np.bool_]:
        return ~super().flips(rng, n, epsilon)


class NeverAtTheStart(BadSigns):
    """Flips fewer: not in the first of every eight reports."""

    def flips(self, rng: np.random.Generator, n: int, epsilon: float) -> NDArray[np.bool_]:
        flipped = super().flips(rng, n, epsilon)
        flipped[::8] = False
        return flipped


class ByRow(BadSigns):
    """As often as it should be over all rows, but less in some of them."""

    def rows(self, rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.random.default_rng(5).integers(0, K, len(index))

    def flips(self, rng: np.random.Generator, n: int, epsilon: float) -> NDArray[np.bool_]:
        rates = np.where(self.rows(rng, np.empty(n, np.intp)) % 2, 1.3, 0.7) / (np.exp(epsilon) + 1)
        flipped: NDArray[np.bool_] = rng.random(n) < rates
        return flipped


class TheSameTwice(BadSigns):
    def flips(self, rng: np.random.Generator, n: int, epsilon: float) -> NDArray[np.bool_]:
        return np.repeat(super().flips(rng, n // 2, epsilon), 2)


class NoCoordinate(BadSigns):
    """A sign that does not depend on the coordinate."""

    def are_negative(self, buckets: NDArray[np.uint32], coordinates: NDArray[np.uint32]) -> NDArray[np.bool_]:
        return super().are_negative(buckets, np.full_like(coordinates, M - 1))


class AlwaysPositive(BadSigns):
    def are_negative(self, buckets: NDArray[np.uint32], coordinates: NDArray[np.uint32]) -> NDArray[np.bool_]:
        return np.zeros(len(buckets), bool)


class FirstRowsTwice(BadSigns):
    def rows(self, rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
        return rng.integers(0, K + 1, len(index)) % K


class NeverCoordinateZero(BadSigns):
    """It tells nothing apart, but without it the sums do not turn back into counts."""

    def coordinates(self, rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
        return rng.integers(1, M, len(index))


class CoordinatesThatTell(BadSigns):
    def coordinates(self, rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.where(rng.random(len(index)) < 0.1, index, super().coordinates(rng, index))


class CoordinatesByRow(BadSigns):
    """Each by itself is uniform, both together are not."""

    def rows(self, rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.random.default_rng(5).integers(0, K, len(index))

    def coordinates(self, rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
        return self.rows(rng, index) + K * rng.integers(0, M // K, len(index))


BAD_SIGNS = [
    (HalfTheEpsilon, {"rate of a sign"}),
    (TwiceTheEpsilon, {"epsilon of signs", "epsilon of all signs", "estimate of signs", "rate of a sign"}),
    (FlipsTheOthers, {"rate of a sign"}),
    (NeverAtTheStart, {"epsilon of all signs", "rate of a sign"}),
    (ByRow, {"rate in a row"}),
    (TheSameTwice, {"dependent reports"}),
    (NoCoordinate, {"rate of a sign"}),
    (AlwaysPositive, {"rate of a sign"}),
    (FirstRowsTwice, {"rows"}),
    (NeverCoordinateZero, {"coordinates"}),
    (CoordinatesThatTell, {"coordinates"}),
    (CoordinatesByRow, {"cells"}),
]


@pytest.mark.parametrize(("client", "expected"), BAD_SIGNS, ids=[client.__name__ for client, _ in BAD_SIGNS])
def test_wrong_signs_are_found(client: type[BadSigns], expected: set[str]) -> None:
    """The most runs are what it takes at ε = 4 to judge the estimate."""
    runs = 1_100_000 if client is TwiceTheEpsilon else 200_000
    assert audit_signs(client(), hadamard_count_mean("4", K, M), runs) >= expected


def test_nothing_is_found_in_the_bad_signs_honest_parts() -> None:
    for epsilon in ("1", "4"):
        assert audit_signs(BadSigns(), hadamard_count_mean(epsilon, K, M), 300_000) == set()
