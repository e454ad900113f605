from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggregation.randomness import device_below, device_flip

from .encoding import BOXES, Encoding


class Client(Encoding):
    def privatize(self, element: str) -> str:
        index, number = self.index_of(element), len(self.letters)
        if device_flip(round(2**64 * (1 - self.own))):
            index = (index + 1 + device_below(number - 1)) % number
        return f"{BOXES[device_below(2)]},{index}"

    def privatize_fleet(
        self, elements: Sequence[str], element_index: NDArray[Any], rng: np.random.Generator
    ) -> dict[str, NDArray[Any]]:
        index = np.array([self.index_of(element) for element in elements])[np.asarray(element_index, np.intp)]
        others = rng.integers(1, len(self.letters), len(index)) * (rng.random(len(index)) >= self.own)
        return {"box": rng.integers(0, 2, len(index)), "letter": (index + others) % len(self.letters)}
