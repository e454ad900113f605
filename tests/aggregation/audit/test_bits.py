"""An audit of the clients as shipped: what a report gives away is measured from reports alone, and is at most ε.

Two elements d and d' are reported. Where their buckets differ, the event {the bit of d is 1 and that of d' is 0} has
the likelihood ratio e^ε exactly; an observer learns no more if the flips are independent and the row tells nothing.

Every check is made at α = 1e-6 (Clopper-Pearson for ε), and there are ten in an audit, so an honest client
raises a false alarm with a chance of at most 1e-5 an audit. The devices' randomness is the operating system's and new
in every run; that of the fleets and of the bad clients has fixed seeds.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.encoding import bit_vector_dtype
from aggregation.mechanisms import CountMeanSketch
from aggregation.mechanisms.count_mean_sketch.audit import BitTally
from aggregation.randomness import flip_threshold
from tests.aggregation.audit.helpers import WORDS, K, M, devices, fleet
from tests.aggregation.helpers import count_mean

pytestmark = pytest.mark.statistical

# A client makes a record for each item of an array that says about which of the two words.
Client = Callable[[CountMeanSketch, NDArray[np.intp]], NDArray[Any]]


def audit(client: Client, mechanism: CountMeanSketch, runs: int) -> set[str]:
    """Return what is wrong with a client: empty for an honest one, but for a chance of ten times α."""
    index = np.arange(runs) // 2 % 2
    tally = BitTally(mechanism, WORDS)
    tally.add(tally.observe(client(mechanism, index), index, 1 - index, index))
    return tally.faults()


def test_a_device_gives_away_what_it_may() -> None:
    """At ε = 0.5 the standard error of the estimate from pairs, the larger, is 0.0103: the tolerance is 4.8 of them, so
    that it is exceeded with a chance below 1e-6. At the other only the limits and the rates are judged.
    """
    for epsilon, runs in (("0.5", 80_000), ("8", 8000)):
        assert audit(devices, count_mean(epsilon, K, M), runs) == set(), epsilon


def test_a_fleet_gives_away_what_it_may() -> None:
    """At the smallest of them both estimates are judged."""
    for epsilon, runs in (("0.5", 700_000), ("16", 100_000)):
        assert audit(fleet, count_mean(epsilon, K, M), runs) == set(), epsilon


def client_with(
    flips: Callable[[np.random.Generator, int, Decimal], NDArray[np.bool_]] | None = None,
    rows: Callable[[np.random.Generator, NDArray[np.intp]], NDArray[np.intp]] | None = None,
) -> Client:
    """Return a client that draws its flips, or its rows, in a way of its own, and else is honest."""

    def client(mechanism: CountMeanSketch, index: NDArray[np.intp]) -> NDArray[Any]:
        rng, n = np.random.default_rng(1), len(index)
        row = rows(rng, index) if rows else rng.integers(0, K, n)
        bits = (flips or independent)(rng, n, mechanism.epsilon)
        hot = mechanism.family.buckets(mechanism.family.points(WORDS), 0, K, M)[row, index]
        bits[np.arange(n), hot] ^= True
        records = np.empty(n, bit_vector_dtype(M))
        records["row"], records["bits"] = row, np.packbits(bits, axis=1)
        return records

    return client


def independent(rng: np.random.Generator, n: int, epsilon: Decimal, width: int = M) -> NDArray[np.bool_]:
    return rng.random((n, width)) < flip_threshold(epsilon / 2) / 2**64


def with_epsilon(rng: np.random.Generator, n: int, epsilon: Decimal) -> NDArray[np.bool_]:
    """ε in the place of ε/2: each of the two bits spends all of it."""
    return independent(rng, n, epsilon * 2)


def slightly_too_seldom(rng: np.random.Generator, n: int, epsilon: Decimal) -> NDArray[np.bool_]:
    """A probability cut to whole 256ths, as one random byte a bit would have it."""
    return rng.random((n, M)) < (flip_threshold(epsilon / 2) >> 56) / 256


def all_but_one(rng: np.random.Generator, n: int, epsilon: Decimal) -> NDArray[np.bool_]:
    bits = independent(rng, n, epsilon)
    bits[:, -1] = False
    return bits


def by_bytes(rng: np.random.Generator, n: int, epsilon: Decimal) -> NDArray[np.bool_]:
    return np.repeat(independent(rng, n, epsilon, M // 8), 8, axis=1)


def one_pair_together(rng: np.random.Generator, n: int, epsilon: Decimal) -> NDArray[np.bool_]:
    bits = independent(rng, n, epsilon)
    bits[:, 40] = bits[:, 3]
    return bits


def the_same_twice(rng: np.random.Generator, n: int, epsilon: Decimal) -> NDArray[np.bool_]:
    return np.repeat(independent(rng, n // 2, epsilon), 2, axis=0)


def by_word(rng: np.random.Generator, n: int, epsilon: Decimal) -> NDArray[np.bool_]:
    """As often as it should be over both words, but less for the one and more for the other."""
    rates = flip_threshold(epsilon / 2) / 2**64 * np.where(np.arange(n) // 2 % 2, 1.3, 0.7)
    return rng.random((n, M)) < rates[:, None]


def fixed_rows(n: int) -> NDArray[np.intp]:
    return np.random.default_rng(5).integers(0, K, n)


def by_row(rng: np.random.Generator, n: int, epsilon: Decimal) -> NDArray[np.bool_]:
    """As often as it should be over all rows, but less in some of them."""
    rates = flip_threshold(epsilon / 2) / 2**64 * np.where(fixed_rows(n) % 2, 1.1, 0.9)
    return rng.random((n, M)) < rates[:, None]


def even_rows(rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
    return rng.integers(0, K, len(index)) & ~1


def rows_that_tell(rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
    """A little more often low for one word, and high for the other."""
    rows = rng.integers(0, K, len(index))
    return np.where(rng.random(len(index)) < 0.1, rows // 2 + index * (K // 2), rows)


BAD = [
    (with_epsilon, {"epsilon of pairs", "epsilon of bits", "estimate of pairs", "estimate of bits", "rate of a bit"}),
    (slightly_too_seldom, {"epsilon of bits", "rate of a bit"}),
    (all_but_one, {"rate of a bit"}),
    (by_bytes, {"dependent bits"}),
    (one_pair_together, {"dependent bits"}),
    (the_same_twice, {"dependent reports"}),
    (by_word, {"epsilon of pairs"}),
]


@pytest.mark.parametrize(("flips", "expected"), BAD, ids=[flips.__name__ for flips, _ in BAD])
def test_wrong_flips_are_found(flips: Any, expected: set[str]) -> None:
    """At ε = 2 so many runs judge the estimate from pairs; at ε = 9 the cut takes 2.8 of 256 flips down to 2."""
    epsilon = {with_epsilon: "2", slightly_too_seldom: "9"}.get(flips, "4")
    runs = 150_000 if flips is with_epsilon else 100_000
    assert audit(client_with(flips), count_mean(epsilon, K, M), runs) >= expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [(even_rows, {"rows", "dependent reports"}), (rows_that_tell, {"rows"})],
    ids=["even", "telling"],
)
def test_wrong_rows_are_found(rows: Any, expected: set[str]) -> None:
    """Where there are only half of the rows, successive reports have the same row twice as often."""
    assert audit(client_with(rows=rows), count_mean("4", K, M), 100_000) == expected


def test_flips_that_depend_on_the_row_are_found() -> None:
    client = client_with(by_row, rows=lambda _rng, index: fixed_rows(len(index)))
    assert audit(client, count_mean("4", K, M), 400_000) >= {"rate in a row"}


def test_nothing_is_found_in_the_bad_clients_honest_parts() -> None:
    assert audit(client_with(), count_mean("1", K, M), 200_000) == set()
