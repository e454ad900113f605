"""The device's half: a position drawn, and two noised vectors, of a word and of its fragment there."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from ...normalization import PAD
from ...randomness import device_below
from ...sketches import puzzle_byte
from ..one_sketch import STREAM
from .encoding import WORDS, Encoding, fragment_line


def fragment_element(puzzle: int, fragment: str) -> str:
    """Return what the fragment sketch counts: a puzzle byte and two letters (report format, section 4)."""
    return f"{puzzle:02x}:{fragment}"


class Client(Encoding):
    """Privatises padded words, on a device one by one, and for a simulated fleet all at once."""

    def privatize(self, element: str) -> str:
        position = self.positions[device_below(len(self.positions))]
        fragment = self.fragments.privatize(self.fragment_of(element, position))
        return fragment_line(position, fragment, self.words.privatize(element))

    def privatize_fleet(
        self, elements: Sequence[str], element_index: NDArray[Any], rng: np.random.Generator
    ) -> dict[str, NDArray[Any]]:
        index = np.asarray(element_index, np.intp)
        place = rng.integers(0, len(self.positions), size=len(index))
        # Every element has as many fragments as there are positions.
        fragments = [self.fragment_of(element, position) for element in elements for position in self.positions]
        return {
            "position": np.asarray(self.positions, np.uint8)[place],
            "fragment": self.fragments.privatize_fleet(fragments, index * len(self.positions) + place, rng)[STREAM],
            WORDS: self.words.privatize_fleet(elements, index, rng)[STREAM],
        }

    def fragment_of(self, element: str, position: int) -> str:
        """Return what a report about a padded word says in the fragment sketch of a position.

        Raises a ParameterError, which does not repeat the word, if it is not padded or has a pad inside.
        """
        word = element.rstrip(PAD)
        if len(element) != self.length or not word or PAD in word:
            raise ParameterError("element", f"An element must be a word padded to {self.length} characters.")
        return fragment_element(puzzle_byte(self.seed, element), element[position - 1 : position + 1])
