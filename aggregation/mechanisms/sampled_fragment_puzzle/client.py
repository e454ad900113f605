"""The device's half: it is drawn whether a report is about the word or about which of its fragments, and then lied."""

from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from ...encoding import bucket_dtype
from ...randomness import device_below, device_flip, fleet_single_flips
from ..one_sketch import STREAM
from .encoding import WHOLE, Encoding, sampled_line


class Client(Encoding):
    """Privatises padded words, on a device one by one, and for a simulated fleet all at once."""

    def privatize(self, element: str) -> str:
        self.check_element(element)
        if device_flip(self.fragment_threshold):
            position = self.positions[device_below(len(self.positions))]
            return sampled_line(position, self.fragments.privatize(self.fragment_of(element, position)))
        return sampled_line(WHOLE, self.words.privatize(element))

    def privatize_fleet(
        self, elements: Sequence[str], element_index: Array, rng: np.random.Generator
    ) -> dict[str, Array]:
        index = np.asarray(element_index, np.intp)
        chosen = fleet_single_flips(len(index), self.fragment_threshold, rng)
        place = rng.integers(0, len(self.positions), size=int(chosen.sum()))
        # Every element has as many fragments as there are positions.
        fragments = [self.fragment_of(element, position) for element in elements for position in self.positions]
        positions, records = np.full(len(index), WHOLE, np.uint8), np.empty(len(index), bucket_dtype())
        positions[chosen] = np.asarray(self.positions, np.uint8)[place]
        own = index[chosen] * len(self.positions) + place
        records[chosen] = self.fragments.privatize_fleet(fragments, own, rng)[STREAM]
        records[~chosen] = self.words.privatize_fleet(elements, index[~chosen], rng)[STREAM]
        return {"position": positions, "record": records}
