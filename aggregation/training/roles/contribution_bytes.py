"""A contribution as bytes, of one length for a task: tokens, item numbers, and numbers in single precision.

A device that is asked but does not take part sends something invented, which says that it does not count: who takes
part is known to the aggregator alone. Sampling hides nothing where it is seen which devices send.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from .tokens import TOKEN_BYTES

NO_ITEM = -1
"""Stands where a device has fewer items than the task allows."""


@dataclass(frozen=True)
class Layout:
    """Numbers of tokens, items and numbers in every contribution of a task.

    Attributes
    ----------
    tokens, items, numbers : int
    """

    tokens: int
    items: int
    numbers: int

    @property
    def length(self) -> int:
        return 1 + TOKEN_BYTES * self.tokens + 4 * self.items + 4 * self.numbers

    def pack(self, tokens: Sequence[bytes], items: Array, vector: Array, *, counts: bool) -> bytes:
        """Return the bytes of a contribution, which its algorithm has padded to the task's length.

        Raises
        ------
        ValueError
            If it has another length than the task says.
        """
        content = b"".join([bytes([counts]), *tokens, items.astype("<i4").tobytes(), vector.astype("<f4").tobytes()])
        if (len(tokens), len(items), len(vector)) != (self.tokens, self.items, self.numbers):
            raise ValueError("A contribution has another length than its task says.")
        return content

    def unpack(self, content: bytes) -> tuple[bool, list[bytes], NDArray[np.int32], NDArray[np.float32]]:
        """Return whether it counts, tokens, item numbers with their padding, and numbers."""
        ends = 1 + TOKEN_BYTES * self.tokens
        tokens = [content[start : start + TOKEN_BYTES] for start in range(1, ends, TOKEN_BYTES)]
        padded = np.frombuffer(content, "<i4", self.items, ends)
        numbers = np.frombuffer(content, "<f4", self.numbers, ends + 4 * self.items)
        return content[0] == 1, tokens, padded, numbers
