"""Observations of imaginary devices: a law of Zipf, over the dictionary or over words that are made up."""

from dataclasses import replace
from typing import Final

import numpy as np

from reports.kinds import kind_of
from reports.models import Version
from reports.simulation.fleets import Shares, zipf_shares

_WORDS: Final = 40
_LETTERS: Final = (4, 9)
# The first letters of an alphabet are used: with fewer different fragments, fewer reports find words.
_ALPHABET: Final = 26


def made_up_shares(version: Version) -> list[Shares]:
    """Return what devices of each locale report, the same for a version whenever it is asked for."""
    if kind_of(version).has_dictionary:
        return [_shuffled(shares, place) for place, shares in enumerate(zipf_shares(version))]
    return [_words(version, locale, place) for place, locale in enumerate(version.locales)]


def _shuffled(shares: Shares, place: int) -> Shares:
    """Give the elements of a locale an order of its own: that of a dictionary says nothing of what is popular."""
    order = np.random.default_rng(place).permutation(len(shares.elements))
    return replace(shares, elements=tuple(shares.elements[each] for each in order.tolist()))


def _words(version: Version, locale: str, place: int) -> Shares:
    """Make up words of a locale's letters, so long as devices report them, of which the first is the most frequent."""
    rng = np.random.default_rng(place)
    letters = [each for each in (version.alphabet_of(locale) or "") if each.isalpha()][:_ALPHABET] or ["a"]
    drawn = ("".join(rng.choice(letters, size=rng.integers(*_LETTERS))) for _ in range(_WORDS))
    elements = tuple(dict.fromkeys(element for word in drawn if (element := version.element(word, locale))))
    weights = 1 / np.arange(1, len(elements) + 1)
    return Shares(locale, elements, weights / weights.sum())
