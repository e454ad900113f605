"""Joining against an enumeration of every word there is."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregation.discovery import FragmentKeys, fragment_keys, join_fragments
from aggregation.discovery.joining import _count
from aggregation.sketches import puzzle_byte
from tests.aggregation.discovery.helpers import all_words, fragments_of, hand_made_cut, key_of, puzzle, some_words
from tests.aggregation.helpers import UNHURRIED

pytestmark = pytest.mark.exact

SIX = puzzle(("2", 8, 16), ("6", 8, 16), 6)
AB = fragment_keys("ab", SIX.fragments.family)
WORDS = all_words("ab", 6)


def fitting(kept: Sequence[Sequence[int]], keys: FragmentKeys, words: Sequence[str]) -> dict[int, list[str]]:
    """Return for each puzzle byte the words all of whose fragments are kept with it."""
    sets = [set(own) for own in kept]
    size = len(keys.fragments)
    found = {}
    for byte in sorted({key // size for key in kept[0]}):
        fit = [
            word
            for word in words
            if all(
                byte * size + keys.fragments.index(fragment) in own
                for fragment, own in zip(fragments_of(word), sets, strict=True)
            )
        ]
        if fit:
            found[byte] = fit
    return found


BYTES = sorted({puzzle_byte(SIX.seed, word) for word in WORDS})
KEYS = st.integers(0, len(BYTES) - 1).flatmap(
    lambda place: st.sampled_from(range(7)).map(lambda f: BYTES[place] * 7 + f)
)
FEW_BYTES = st.sampled_from(BYTES[:3]).flatmap(lambda byte: st.sampled_from(range(7)).map(lambda f: byte * 7 + f))


@UNHURRIED
@given(st.lists(st.lists(FEW_BYTES, unique=True, max_size=21), min_size=3, max_size=3))
def test_every_word_that_fits_is_tried_and_those_that_solve_the_puzzle_are_kept(kept: list[list[int]]) -> None:
    joined = join_fragments(SIX, AB, hand_made_cut(kept))
    fit = fitting(kept, AB, WORDS)
    assert joined.tried == sum(map(len, fit.values()))
    solved = {word for byte, words in fit.items() for word in words if puzzle_byte(SIX.seed, word) == byte}
    assert joined.words == sorted(solved)
    assert joined.strictness == 1


@UNHURRIED
@given(st.lists(st.lists(KEYS, unique=True, max_size=200), min_size=3, max_size=3))
def test_words_are_counted_before_they_are_made(kept: list[list[int]]) -> None:
    shapes = np.array([len(fragment.rstrip("_")) for fragment in AB.fragments])
    counted = _count([np.array(own, np.int64) for own in kept], shapes)
    assert counted == sum(map(len, fitting(kept, AB, WORDS).values()))


@UNHURRIED
@given(
    st.lists(
        st.dictionaries(FEW_BYTES, st.integers(1, 6).map(float), max_size=21),
        min_size=3,
        max_size=3,
    ),
    st.integers(0, 40),
)
def test_the_ceiling_raises_all_cuts_by_the_least_factor(strengths: list[dict[int, float]], most: int) -> None:
    """Every factor that makes a difference is one of the strengths, or just above the greatest."""
    cut = hand_made_cut([list(own) for own in strengths], [list(own.values()) for own in strengths])

    def size(level: float) -> int:
        left = [[key for key, strength in own.items() if strength >= level] for own in strengths]
        return sum(map(len, fitting(left, AB, WORDS).values()))

    joined = join_fragments(SIX, AB, cut, most)
    assert joined.tried == size(joined.strictness) <= most
    assert joined.kept == [sum(strength >= joined.strictness for strength in own.values()) for own in strengths]
    levels = sorted({1.0}.union(*(own.values() for own in strengths)))
    levels.append(np.nextafter(levels[-1], np.inf))
    assert joined.strictness == next(level for level in levels if size(level) <= most)


def test_fragments_cross_and_the_puzzle_tells_most_of_them() -> None:
    """500 words of five fragments each, about two of them to a puzzle byte."""
    mechanism = puzzle(("2", 8, 16), ("6", 8, 16), 10)
    keys = fragment_keys("abcdef", mechanism.fragments.family)
    words = some_words("abcdef", 10, 500, np.random.default_rng(0))
    kept = [sorted({key_of(mechanism, keys, word, position) for word in words}) for position in range(5)]
    joined = join_fragments(mechanism, keys, hand_made_cut(kept))
    assert set(words) <= set(joined.words)
    false = len(joined.words) - len(words)
    # Binomial with 1/256, seven standard deviations.
    expected = (joined.tried - len(words)) / 256
    assert expected > 300
    assert abs(false - expected) < 7 * expected**0.5


def test_more_words_than_could_ever_be_made_are_not_begun() -> None:
    """4,096 equally strong fragments at each of eight positions, all of one puzzle byte: 10^28 words."""
    mechanism = puzzle(("2", 8, 16), ("6", 8, 16), 16)
    alphabet = "".join(chr(0x4E00 + place) for place in range(64))
    letters = [a + b for a in alphabet for b in alphabet]
    keys = FragmentKeys((*letters, *(a + "_" for a in alphabet), "__"), np.empty(0))
    kept = [range(4096)] * 8
    joined = join_fragments(mechanism, keys, hand_made_cut(kept))
    assert (joined.words, joined.tried, joined.strictness) == ([], 0, np.nextafter(2, 3))
    estimates = [np.arange(4096, 0, -1).tolist()] * 8
    joined = join_fragments(mechanism, keys, hand_made_cut(kept, estimates), most=10_000)
    assert joined.tried == 3**8
    assert joined.strictness == 4096 - 2
