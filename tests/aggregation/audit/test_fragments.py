"""The same audit of clients that say two things about a word, as `test_audit` makes of those that say one.

With s and s' reported, the event {in both vectors the bit of s is 1 and that of s' is 0} has the likelihood ratio
e^(ε + ε') exactly, where both tell them apart. An observer learns no more if each vector is as it must be, the flips of
the one tell nothing of the other's, and position and rows tell nothing at all.

Every check is made at α = 1e-6, and there are 28 in an audit: an honest client raises a false alarm with a chance below
3e-5 an audit. Devices draw from the operating system; all else has fixed seeds.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.encoding import bit_vector_dtype
from aggregation.mechanisms import SequenceFragmentPuzzle
from aggregation.mechanisms.sequence_fragment_puzzle.audit import HalvesTally
from aggregation.mechanisms.sequence_fragment_puzzle.encoding import parse_fragments
from aggregation.sketches import QuadraticM31
from tests.aggregation.helpers import fragment_puzzle

pytestmark = pytest.mark.statistical

# Two words that share no fragment, of two fragments each.
WORDS = ["wyd_", "lmao"]
K, M, PLACES = 8, 16, 2
Client = Callable[[SequenceFragmentPuzzle, NDArray[np.intp]], dict[str, NDArray[Any]]]


@pytest.fixture(autouse=True)
def hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device hashes one word; these ask for the same few buckets hundreds of thousands of times."""
    monkeypatch.setattr(QuadraticM31, "bucket", cache(QuadraticM31.bucket))


def own_puzzle(epsilon: str, fragment_epsilon: str) -> SequenceFragmentPuzzle:
    return fragment_puzzle(epsilon, fragment_epsilon, (K, M), (K, M), length=2 * PLACES)


def devices(mechanism: SequenceFragmentPuzzle, index: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
    """What devices send, with the link between the parts of a report that the server does not keep."""
    lines = [mechanism.privatize(WORDS[word]) for word in index.tolist()]
    parts, rejected = parse_fragments(lines, mechanism.positions, (K, M), (K, M))
    assert not rejected
    return parts


def fleet(mechanism: SequenceFragmentPuzzle, index: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
    return mechanism.privatize_fleet(WORDS, index, np.random.default_rng(0))


def fragments_of(mechanism: SequenceFragmentPuzzle) -> list[str]:
    """The fragment of a word at a place is ``word · PLACES + place`` of these."""
    return [mechanism.fragment_of(word, position) for word in WORDS for position in mechanism.positions]


def audit_fragments(client: Client, mechanism: SequenceFragmentPuzzle, runs: int) -> set[str]:
    """Return what is wrong with a client: empty for an honest one, but for a chance of 28 times α."""
    index = np.arange(runs) // 2 % 2
    tally = HalvesTally(mechanism, WORDS)
    tally.add(tally.observe(client(mechanism, index), index))
    return tally.faults()


def test_a_device_gives_away_what_it_may_by_both() -> None:
    """The estimate of ε + ε' from all bits has a standard error of 0.0104; the tolerance is 4.8 of them, so that it is
    exceeded with a chance below 1e-6. The one from pairs takes more runs, and is judged for fleets.
    """
    assert audit_fragments(devices, own_puzzle("0.4", "0.6"), 80_000) == set()


@pytest.mark.parametrize(("epsilon", "fragment_epsilon", "runs"), [("0.4", "0.6", 800_000), ("2", "6", 100_000)])
def test_a_fleet_gives_away_what_it_may_by_both(epsilon: str, fragment_epsilon: str, runs: int) -> None:
    """At the smallest of them both estimates are judged."""
    assert audit_fragments(fleet, own_puzzle(epsilon, fragment_epsilon), runs) == set()


class BadPuzzle:
    """An honest client in plain steps; those that are not override one of them."""

    def places(self, rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
        return rng.integers(0, PLACES, len(index))

    def rows(
        self, rng: np.random.Generator, mechanism: SequenceFragmentPuzzle, index: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Of the fragments, and of the words."""
        return rng.integers(0, K, len(index)), rng.integers(0, K, len(index))

    def flips(
        self, rng: np.random.Generator, n: int, epsilon: float, fragment_epsilon: float
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Of the fragments, and of the words."""
        return rng.random((n, M)) < chance(fragment_epsilon), rng.random((n, M)) < chance(epsilon)

    def __call__(self, mechanism: SequenceFragmentPuzzle, index: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
        rng, n = np.random.default_rng(1), len(index)
        places = self.places(rng, index)
        epsilons = float(mechanism.words.epsilon), float(mechanism.fragments.epsilon)
        parts: dict[str, NDArray[Any]] = {"position": (2 * places + 1).astype(np.uint8)}
        for name, sketch, elements, own, rows, flips in zip(
            ("fragment", "element"),
            (mechanism.fragments, mechanism.words),
            (fragments_of(mechanism), WORDS),
            (index * PLACES + places, index),
            self.rows(rng, mechanism, index),
            self.flips(rng, n, *epsilons),
            strict=True,
        ):
            bits = flips.copy()
            bits[np.arange(n), sketch.family.buckets(sketch.family.points(elements), 0, K, M)[rows, own]] ^= True
            records: NDArray[Any] = np.empty(n, bit_vector_dtype(M))
            records["row"], records["bits"] = rows, np.packbits(bits, axis=1)
            parts[name] = records
        return parts


def chance(epsilon: float) -> float:
    """The probability of a flip, by half of ε."""
    return float(1 / (np.exp(epsilon / 2) + 1))


class FragmentsWithEpsilon(BadPuzzle):
    """ε' in the place of ε'/2: each of the two bits spends all of it."""

    def flips(self, rng: Any, n: int, epsilon: float, fragment_epsilon: float) -> Any:
        return super().flips(rng, n, epsilon, 2 * fragment_epsilon)


class WordsWithEpsilon(BadPuzzle):
    def flips(self, rng: Any, n: int, epsilon: float, fragment_epsilon: float) -> Any:
        return super().flips(rng, n, 2 * epsilon, fragment_epsilon)


class AllForEach(BadPuzzle):
    """Each half spends what both together may."""

    def flips(self, rng: Any, n: int, epsilon: float, fragment_epsilon: float) -> Any:
        return super().flips(rng, n, epsilon + fragment_epsilon, epsilon + fragment_epsilon)


class TheOthersEpsilon(BadPuzzle):
    """The sum is right, but the server corrects each for the other's noise."""

    def flips(self, rng: Any, n: int, epsilon: float, fragment_epsilon: float) -> Any:
        return super().flips(rng, n, fragment_epsilon, epsilon)


class LessForOneWord(BadPuzzle):
    """As often as it should be over both words, but less for the one and more for the other."""

    def flips(self, rng: Any, n: int, epsilon: float, fragment_epsilon: float) -> Any:
        rates = np.where(np.arange(n) // 2 % 2, 1.2, 0.8)[:, None]
        return rng.random((n, M)) < chance(fragment_epsilon) * rates, rng.random((n, M)) < chance(epsilon) * rates


class OneNoiseForBoth(BadPuzzle):
    """Each half by itself is as it must be; together they tell what was flipped."""

    def flips(self, rng: Any, n: int, epsilon: float, fragment_epsilon: float) -> Any:
        drawn = rng.random((n, M))
        return drawn < chance(fragment_epsilon), drawn < chance(epsilon)


class PositionByWord(BadPuzzle):
    def places(self, rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.where(rng.random(len(index)) < 0.05, index, super().places(rng, index))


class AlwaysFromTheStart(BadPuzzle):
    """No leak, but no word would ever be found."""

    def places(self, rng: np.random.Generator, index: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.zeros_like(index)


class OneRowForBoth(BadPuzzle):
    def rows(self, rng: Any, mechanism: SequenceFragmentPuzzle, index: NDArray[np.intp]) -> Any:
        rows = rng.integers(0, K, len(index))
        return rows, rows


class PuzzleInClear(BadPuzzle):
    """The last three bits of the puzzle choose the fragment's row."""

    def rows(self, rng: Any, mechanism: SequenceFragmentPuzzle, index: NDArray[np.intp]) -> Any:
        puzzles = np.array([int(mechanism.fragment_of(word, 1)[:2], 16) for word in WORDS])
        return puzzles[index] % K, rng.integers(0, K, len(index))


BAD_PUZZLES = [
    (
        FragmentsWithEpsilon,
        {"epsilon of both", "epsilon of all bits", "fragments: epsilon of pairs", "fragments: rate of a bit"},
    ),
    (WordsWithEpsilon, {"epsilon of both", "epsilon of all bits", "words: epsilon of pairs", "words: rate of a bit"}),
    (AllForEach, {"epsilon of both", "words: rate of a bit", "fragments: rate of a bit"}),
    (TheOthersEpsilon, {"words: rate of a bit", "fragments: rate of a bit"}),
    (LessForOneWord, {"epsilon of both"}),
    (OneNoiseForBoth, {"dependent halves"}),
    (PositionByWord, {"positions"}),
    (AlwaysFromTheStart, {"positions"}),
    (OneRowForBoth, {"positions and rows"}),
    (PuzzleInClear, {"fragments: rows", "positions and rows"}),
]


@pytest.mark.parametrize(("client", "expected"), BAD_PUZZLES, ids=[client.__name__ for client, _ in BAD_PUZZLES])
def test_wrong_halves_are_found(client: type[BadPuzzle], expected: set[str]) -> None:
    assert audit_fragments(client(), own_puzzle("1", "2"), 100_000) >= expected


@pytest.mark.parametrize("client", [FragmentsWithEpsilon, WordsWithEpsilon])
def test_estimates_above_what_both_may_are_found(client: type[BadPuzzle]) -> None:
    assert audit_fragments(client(), own_puzzle("0.4", "0.6"), 420_000) >= {"estimate of both", "estimate of all bits"}


def test_nothing_is_found_in_the_bad_puzzles_honest_parts() -> None:
    assert audit_fragments(BadPuzzle(), own_puzzle("1", "2"), 200_000) == set()
