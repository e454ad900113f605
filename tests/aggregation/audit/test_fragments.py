"""An audit of clients that say two things about a word, as `test_bits` makes of those that say one.

With s and s' reported, the event {in both vectors the bit of s is 1 and that of s' is 0} has the likelihood ratio
e^(ε + ε') exactly, where both tell them apart. An observer learns no more if each vector is as it must be, the flips of
the one tell nothing of the other's, and position and rows tell nothing at all.

Every check is made at α = 1e-6, and there are 28 in an audit: an honest client raises a false alarm with a chance below
3e-5 an audit. Devices draw from the operating system; all else has fixed seeds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.encoding import pack_bit_vectors
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
    """Return reports of devices, with the link between their parts that the server does not keep."""
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
    """At ε + ε' = 1 the estimate from all bits has a standard error of 0.0104; the tolerance is 4.8 of them, so that it
    is exceeded with a chance below 1e-6. The one from pairs takes more runs, and is judged for fleets. At the deployed
    ε only the limits and the rates are judged.
    """
    for epsilon, fragment_epsilon, runs in (("0.4", "0.6", 80_000), ("2", "6", 8000)):
        assert audit_fragments(devices, own_puzzle(epsilon, fragment_epsilon), runs) == set(), epsilon


@pytest.mark.parametrize(("epsilon", "fragment_epsilon", "runs"), [("0.4", "0.6", 800_000), ("2", "6", 100_000)])
def test_a_fleet_gives_away_what_it_may_by_both(epsilon: str, fragment_epsilon: str, runs: int) -> None:
    """At the smallest of them both estimates are judged."""
    assert audit_fragments(fleet, own_puzzle(epsilon, fragment_epsilon), runs) == set()


def chance(epsilon: float) -> float:
    """The probability of a flip, by half of ε."""
    return float(1 / (np.exp(epsilon / 2) + 1))


def independent(rng: np.random.Generator, n: int, words: float, fragments: float) -> tuple[Any, Any]:
    """Flips of the fragments, and of the words."""
    return rng.random((n, M)) < chance(fragments), rng.random((n, M)) < chance(words)


@dataclass(frozen=True)
class Puzzle:
    """A client in plain steps: honest but for those that are given. Rows are of the fragments, and of the words."""

    places: Callable[..., Any] = lambda rng, index: rng.integers(0, PLACES, len(index))
    rows: Callable[..., Any] = lambda rng, _, index: rng.integers(0, K, (2, len(index)))
    flips: Callable[..., Any] = independent

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
            parts[name] = pack_bit_vectors(rows, np.packbits(bits, axis=1))
        return parts


def less_for_one_word(rng: np.random.Generator, n: int, words: float, fragments: float) -> tuple[Any, Any]:
    """As often as it should be over both words, but less for the one and more for the other."""
    rates = np.where(np.arange(n) // 2 % 2, 1.2, 0.8)[:, None]
    return rng.random((n, M)) < chance(fragments) * rates, rng.random((n, M)) < chance(words) * rates


def one_noise_for_both(rng: np.random.Generator, n: int, words: float, fragments: float) -> tuple[Any, Any]:
    """Each half by itself is as it must be; together they tell what was flipped."""
    drawn = rng.random((n, M))
    return drawn < chance(fragments), drawn < chance(words)


def puzzle_in_clear(rng: np.random.Generator, mechanism: SequenceFragmentPuzzle, index: NDArray[np.intp]) -> Any:
    """The last three bits of the puzzle choose the fragment's row."""
    puzzles = np.array([int(mechanism.fragment_of(word, 1)[:2], 16) for word in WORDS])
    return puzzles[index] % K, rng.integers(0, K, len(index))


# ε' in the place of ε'/2: each of the two bits spends all of it; and the same of words.
FRAGMENTS_WITH_EPSILON = Puzzle(flips=lambda rng, n, words, fragments: independent(rng, n, words, 2 * fragments))
WORDS_WITH_EPSILON = Puzzle(flips=lambda rng, n, words, fragments: independent(rng, n, 2 * words, fragments))
BAD_PUZZLES = {
    "fragments with all of ε′": (
        FRAGMENTS_WITH_EPSILON,
        {"epsilon of both", "epsilon of all bits", "fragments: epsilon of pairs", "fragments: rate of a bit"},
    ),
    "words with all of ε": (
        WORDS_WITH_EPSILON,
        {"epsilon of both", "epsilon of all bits", "words: epsilon of pairs", "words: rate of a bit"},
    ),
    "each half spends what both may": (
        Puzzle(flips=lambda rng, n, words, fragments: independent(rng, n, words + fragments, words + fragments)),
        {"epsilon of both", "words: rate of a bit", "fragments: rate of a bit"},
    ),
    "less for one word": (Puzzle(flips=less_for_one_word), {"epsilon of both"}),
    "one noise for both": (Puzzle(flips=one_noise_for_both), {"dependent halves"}),
    "position by word": (
        Puzzle(
            places=lambda rng, index: np.where(
                rng.random(len(index)) < 0.05, index, rng.integers(0, PLACES, len(index))
            )
        ),
        {"positions"},
    ),
    "one row for both": (
        Puzzle(rows=lambda rng, _, index: [rng.integers(0, K, len(index))] * 2),
        {"positions and rows"},
    ),
    "puzzle in clear": (Puzzle(rows=puzzle_in_clear), {"fragments: rows", "positions and rows"}),
}


@pytest.mark.parametrize("name", BAD_PUZZLES)
def test_wrong_halves_are_found(name: str) -> None:
    client, expected = BAD_PUZZLES[name]
    assert audit_fragments(client, own_puzzle("1", "2"), 100_000) >= expected


@pytest.mark.parametrize("client", [FRAGMENTS_WITH_EPSILON, WORDS_WITH_EPSILON], ids=["fragments", "words"])
def test_estimates_above_what_both_may_are_found(client: Client) -> None:
    assert audit_fragments(client, own_puzzle("0.4", "0.6"), 420_000) >= {"estimate of both", "estimate of all bits"}


def test_nothing_is_found_in_the_bad_puzzles_honest_parts() -> None:
    assert audit_fragments(Puzzle(), own_puzzle("1", "2"), 200_000) == set()
