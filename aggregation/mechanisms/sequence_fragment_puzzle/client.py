"""The device's half: a position drawn, and two noised vectors, of a word and of its fragment there."""

from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from ...randomness import device_below
from ..fragment_puzzle import WORDS
from ..one_sketch import STREAM
from .encoding import Encoding, fragment_line


class Client(Encoding):
    """Privatises padded words, on a device one by one, and for a simulated fleet all at once."""

    def privatize(self, element: str) -> str:
        position = self.positions[device_below(len(self.positions))]
        fragment = self.fragments.privatize(self.fragment_of(element, position))
        return fragment_line(position, fragment, self.words.privatize(element))

    def privatize_fleet(
        self, elements: Sequence[str], element_index: Array, rng: np.random.Generator
    ) -> dict[str, Array]:
        index = np.asarray(element_index, np.intp)
        place = rng.integers(0, len(self.positions), size=len(index))
        # Every element has as many fragments as there are positions.
        fragments = [self.fragment_of(element, position) for element in elements for position in self.positions]
        return {
            "position": np.asarray(self.positions, np.uint8)[place],
            "fragment": self.fragments.privatize_fleet(fragments, index * len(self.positions) + place, rng)[STREAM],
            WORDS: self.words.privatize_fleet(elements, index, rng)[STREAM],
        }
