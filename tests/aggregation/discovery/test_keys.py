"""The keys are what devices report, each once, and no more."""

import numpy as np
import pytest

from aggregation.discovery import fragment_keys
from aggregation.registry import fragment_element
from aggregation.sketches import QuadraticM31, puzzle_byte
from tests.aggregation.discovery.helpers import all_words, fragments_of

pytestmark = pytest.mark.exact

FAMILY = QuadraticM31(bytes(16), "fragment")


def test_every_word_has_its_keys_and_every_key_its_word() -> None:
    keys = fragment_keys("bca", FAMILY)
    words = all_words("abc", 6)
    assert set(keys.fragments) == {fragment for word in words for fragment in fragments_of(word)}
    assert len(keys.fragments) == len(set(keys.fragments)) == 3**2 + 3 + 1
    assert len(keys) == len(keys.points) == 256 * 13
    for word in ("a_____", "ccbabc"):
        puzzle = puzzle_byte(bytes(16), word)
        for fragment in fragments_of(word):
            (point,) = FAMILY.points([fragment_element(puzzle, fragment)])
            assert (keys.points[puzzle * 13 + keys.fragments.index(fragment)] == point).all()


def test_the_order_of_letters_does_not_matter_and_no_letter_counts_twice() -> None:
    once, again = fragment_keys("ab", FAMILY), fragment_keys("bab", FAMILY)
    assert once.fragments == again.fragments == ("aa", "ab", "a_", "ba", "bb", "b_", "__")
    assert (once.points == again.points).all()


def test_letters_beyond_ascii() -> None:
    assert fragment_keys("é\u05d0", FAMILY).fragments == (
        "éé",
        "é\u05d0",
        "é_",
        "\u05d0é",
        "\u05d0\u05d0",
        "\u05d0_",
        "__",
    )


def test_keys_are_remembered_and_cannot_be_changed() -> None:
    keys = fragment_keys("ab", FAMILY)
    assert fragment_keys("ab", FAMILY) is keys
    with pytest.raises(ValueError, match="read-only"):
        keys.points[0] = 0
    assert np.isfinite(keys.points).all()
