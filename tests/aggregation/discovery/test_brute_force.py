"""The whole way from reports to a list, against plain Count Mean Sketch of everything that could have been reported."""

from collections.abc import Callable
from decimal import Decimal
from itertools import permutations

import numpy as np
import pytest

from aggregation.discovery import Sketches, read_words
from aggregation.estimation import plug_in_f2
from aggregation.mechanisms import CountMeanSketch, SequenceFragmentPuzzle
from aggregation.registry import DiscoveryMechanism, fragment_element
from aggregation.sketches import puzzle_byte
from tests.aggregation.discovery.helpers import (
    NoCollisions,
    Streams,
    all_words,
    discover,
    fragments_of,
    puzzle,
    reported,
    sampled,
)

pytestmark = pytest.mark.exact

ABC = "abc"
WORDS = all_words(ABC, 4)
FRAGMENTS = sorted({fragment for word in WORDS for fragment in fragments_of(word)})


def candidates_by_force(mechanism: DiscoveryMechanism, days: list[Streams]) -> list[str]:
    """The words all of whose fragments pass, each position's keys being estimated as a dictionary of their own."""
    family, keys = mechanism.fragments.family, [(byte, part) for byte in range(256) for part in FRAGMENTS]
    points = family.points([fragment_element(*key) for key in keys])
    passed: list[set[tuple[int, str]]] = []
    for position in mechanism.positions:
        shards = [day[mechanism.fragment_stream(position)] for day in days]
        n = sum(map(len, shards))
        read_out = mechanism.fragments.read_out(shards, points, 0, mechanism.fragment_shape[0]).sum(axis=0)
        estimate = mechanism.fragments.debiased.estimate(read_out, n)
        f2 = plug_in_f2(mechanism.fragments.debiased, estimate, n)
        threshold = mechanism.fragments.debiased.threshold(n, 64 / (256 * 13), f2)
        passed.append({key for key, value in zip(keys, estimate.tolist(), strict=True) if value >= threshold})
    return [
        word
        for word in WORDS
        if all(
            (puzzle_byte(mechanism.seed, word), part) in own
            for part, own in zip(fragments_of(word), passed, strict=True)
        )
    ]


def deployed(seed: int) -> DiscoveryMechanism:
    return puzzle(("3", 64, 64), ("5", 64, 256), 4, seed)


def by_samples(seed: int) -> DiscoveryMechanism:
    return sampled(("4", 64, 55), (64, 255), 4, seed, "0.9")


@pytest.mark.parametrize("made", [deployed, by_samples])
@pytest.mark.parametrize("seed", range(3))
def test_the_list_is_that_of_all_words_estimated_one_by_one(
    made: Callable[[int], DiscoveryMechanism], seed: int
) -> None:
    mechanism = made(seed)
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(WORDS)[:40].tolist()
    counts = {word: 2400 // (rank + 1) for rank, word in enumerate(chosen)}
    days = [reported(mechanism, counts, rng) for _ in range(2)]
    found = discover(mechanism, ABC, days)

    candidates = sorted(candidates_by_force(mechanism, days))
    assert found.joined.words == candidates
    assert 5 < len(candidates) < 40, "else the cuts are nothing"
    n, shards = 2 * sum(counts.values()), [day["element"] for day in days]
    points = mechanism.words.family.points(WORDS)
    read_out = mechanism.words.read_out(shards, points, 0, 64).sum(axis=0)
    estimator = mechanism.word_estimator(n, sum(map(len, shards)))
    estimate = dict(zip(WORDS, estimator.estimate(read_out, n).tolist(), strict=True))
    threshold = estimator.threshold(n, 0.05 / len(candidates), found.summary.f2)
    shown = [word for word in candidates if estimate[word] >= threshold]
    assert found.shown == shown
    assert 2 < len(shown) < len(candidates), "else the threshold is nothing"
    assert dict(zip(found.joined.words, found.summary.estimate.tolist(), strict=True)) == {
        word: estimate[word] for word in candidates
    }
    assert found.summary.threshold == threshold
    assert set(shown) <= set(chosen)


def quiet(length: int, words: list[str]) -> SequenceFragmentPuzzle:
    """Read out without noise, and without collisions of what is asked for."""
    keys = tuple(fragment_element(byte, part) for byte in range(256) for part in FRAGMENTS)
    epsilon = Decimal(1000)
    return SequenceFragmentPuzzle(
        CountMeanSketch(epsilon, 256, 1024, NoCollisions(tuple(words))),
        CountMeanSketch(epsilon, 256, 4096, NoCollisions(keys)),
        length,
    )


@pytest.mark.parametrize("length", [2, 4])
def test_without_noise_every_word_is_found_with_its_count(length: int) -> None:
    words = all_words(ABC, length)
    mechanism = quiet(length, words)
    counts = {word: 40 + 3 * place for place, word in enumerate(words[::3])}
    days = [reported(mechanism, counts, np.random.default_rng(day)) for day in range(2)]
    found = discover(mechanism, ABC, days)
    assert found.shown == found.joined.words == sorted(counts)
    assert found.read_out.tolist() == [2 * counts[word] for word in found.shown]
    sketches = [Sketches.count(mechanism, day) for day in days]
    assert read_words(mechanism, sketches, words).tolist() == [[counts.get(word, 0) for word in words]] * 2


@pytest.mark.parametrize("word", ["a_____", "abcabc"])
def test_a_word_of_any_length_is_found_among_no_others(word: str) -> None:
    mechanism = puzzle(("8", 64, 256), ("8", 64, 256), 6)
    day = reported(mechanism, {word: 5000}, np.random.default_rng(0))
    found = discover(mechanism, ABC, [day])
    assert found.shown == [word]
    (place,) = np.flatnonzero(found.summary.above)
    assert found.summary.lower[place] < 5000 < found.summary.upper[place]


def colliding(seed: bytes, words: list[str]) -> tuple[str, str, str]:
    """Two words and one made of their fragments, all three with the same puzzle byte."""
    by_byte: dict[int, list[str]] = {}
    for word in words:
        by_byte.setdefault(puzzle_byte(seed, word), []).append(word)
    for byte, own in sorted(by_byte.items()):
        for first, second in permutations(own, 2):
            crossed = first[:2] + second[2:]
            if crossed not in {first, second} and puzzle_byte(seed, crossed) == byte:
                return first, second, crossed
    raise AssertionError("no such words")


@pytest.mark.parametrize("seed", range(2))
def test_a_puzzle_collision_makes_no_word(seed: int) -> None:
    """Fragments of two frequent words that solve the puzzle together are a candidate that was never reported."""
    mechanism = puzzle(("4", 256, 256), ("6", 256, 256), 4, seed)
    first, second, crossed = colliding(mechanism.seed, all_words("abcdef", 4))
    day = reported(mechanism, {first: 4000, second: 4000}, np.random.default_rng(seed))
    found = discover(mechanism, "abcdef", [day])
    assert {first, second, crossed} <= set(found.joined.words)
    assert found.shown == sorted([first, second])


def test_a_day_without_reports_and_no_day_at_all() -> None:
    mechanism = puzzle(("2", 64, 64), ("6", 64, 64), 4)
    empty = reported(mechanism, {"abc_": 0}, np.random.default_rng(0))
    for days in ([empty], []):
        found = discover(mechanism, ABC, days)
        assert (found.joined.words, found.shown, found.summary.n) == ([], [], 0)
        assert np.isfinite(found.summary.threshold)
