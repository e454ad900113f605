"""Hash families: which bucket each row gives each element."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Floats, Places
from ..errors import ParameterError, shown
from .quadratic import (
    bucket_of,
    coefficients_of_row,
    coordinates,
    coordinates_of,
    draw_coefficients,
    evaluate,
    evaluate_pairs,
    split_coefficients,
    split_points,
)

LABELS: Final = ("element", "fragment")

# How many rows one cache entry holds; 2,048 entries of 128 rows are 18 MB.
_CACHED_ROWS: Final = 128
# Rows further apart than this on average are not cached: most of a cache entry would be drawn for nothing.
_SPARSE: Final = 16


class HashFamily(Protocol):
    """k hash functions from elements to m buckets, handed in as a value.

    A family says how an element becomes a *point* once, and what bucket each row gives a point. What a point is stays
    the family's own affair: callers may slice and index the first axis of the array, nothing else. A family written as
    a subclass gets `buckets_of_rows` and `buckets_of_pairs` from `buckets`, and may override them to be faster.

    Examples
    --------
    >>> import numpy as np
    >>> class ByLength(HashFamily):
    ...     name = "by-length"
    ...     def points(self, elements):
    ...         return np.array([len(element) for element in elements])
    ...     def bucket(self, element, row, m):
    ...         return (len(element) + row) % m
    ...     def buckets(self, points, start_row, stop_row, m):
    ...         return ((points + np.arange(start_row, stop_row)[:, None]) % m).astype(np.uint32)
    >>> sketch = Sketch(CountMeanSketch(epsilon=4, k=4, m=8, family=ByLength()))
    >>> sketch.update([sketch.mechanism.privatize("hello")])
    >>> sketch.n
    1
    """

    @property
    def name(self) -> str:
        """The family's name on the wire."""

    def points(self, elements: Sequence[str]) -> Array:
        """Return one point per element, along the first axis."""

    def bucket(self, element: str, row: int, m: int) -> int:
        """Return the bucket of one element in one row, as a device computes it."""

    def buckets(self, points: Array, start_row: int, stop_row: int, m: int) -> NDArray[np.uint32]:
        """Return the buckets in a range of rows, of shape ``(stop_row - start_row, len(points))``."""

    def buckets_of_rows(self, points: Array, rows: Places, m: int) -> NDArray[np.uint32]:
        """Return the buckets in the given rows (ascending), of shape ``(len(rows), len(points))``."""
        if not len(rows):
            return np.empty((0, len(points)), np.uint32)
        breaks = np.flatnonzero(np.diff(rows) != 1) + 1
        runs = np.split(rows, breaks)
        return np.concatenate([self.buckets(points, int(run[0]), int(run[-1]) + 1, m) for run in runs])

    def buckets_of_pairs(self, points: Array, index: Places, rows: Places, m: int) -> NDArray[np.uint32]:
        """Return the bucket, 0 … m - 1, of point ``index[i]`` in row ``rows[i]`` for every i: shape (len(rows),)."""
        result = np.empty(len(rows), np.uint32)
        for row in np.unique(rows):
            mine = np.flatnonzero(rows == row)
            result[mine] = self.buckets(points, int(row), int(row) + 1, m)[0].take(index[mine])
        return result


@dataclass(frozen=True, init=False)
class QuadraticM31(HashFamily):
    """The family ``quadratic-m31-v1``: random quadratics over GF(p²), p = 2³¹ - 1, projected to GF(p).

    Three-wise independent, so that the stated variances hold at every k; pairwise hashing is unbiased too, but its
    collisions bunch. Elements are told apart by 62 bits.

    Parameters
    ----------
    seed : bytes or int
        16 public bytes, drawn once for all devices that report alike; of an integer, its 16 bytes, most significant
        first.
    label : str
        ``"element"``, or ``"fragment"`` for the second sketch of a mechanism that has one.

    Raises
    ------
    ParameterError
        If the seed is not 16 bytes, or does not fit them, or the label is neither of the two.

    References
    ----------
    The report format, section 2 (points, rows, and h_j).

    Examples
    --------
    >>> family = QuadraticM31(7)
    >>> family.bucket("hello", row=3, m=1024)
    887
    >>> family.buckets(family.points(["hello", "world"]), 3, 5, 1024).shape
    (2, 2)
    >>> CountMeanSketch(epsilon=4, k=64, m=64, family=family) == CountMeanSketch(epsilon=4, k=64, m=64, seed=7)
    True
    """

    seed: bytes
    label: str = "element"

    def __init__(self, seed: bytes | int, label: str = "element") -> None:
        object.__setattr__(self, "seed", seed_bytes(seed))
        object.__setattr__(self, "label", label)
        if self.label not in LABELS:
            raise ParameterError("label", f"The label must be one of {', '.join(LABELS)}, not {shown(self.label)}.")

    @property
    def name(self) -> str:
        return "quadratic-m31-v1"

    def points(self, elements: Sequence[str]) -> Floats:
        """Hash elements to points.

        Parameters
        ----------
        elements : sequence of str
            Normalised elements.

        Returns
        -------
        ndarray of float64, shape (len(elements), 9)
            The low 16 and the high 15 bits of x0, x1, y0, y1, then a one that takes up the constant.

        Raises
        ------
        UnicodeEncodeError
            If an element has no UTF-8 form (a lone surrogate).
        """
        return split_points(coordinates_of(elements))

    def bucket(self, element: str, row: int, m: int) -> int:
        return bucket_of(self.coefficients(row), coordinates(element), m)

    def buckets(self, points: Array, start_row: int, stop_row: int, m: int) -> NDArray[np.uint32]:
        return self.buckets_of_rows(points, np.arange(start_row, stop_row), m)

    def buckets_of_rows(self, points: Array, rows: Places, m: int) -> NDArray[np.uint32]:
        return evaluate(self._matrix(rows), points, m)

    def buckets_of_pairs(self, points: Array, index: Places, rows: Places, m: int) -> NDArray[np.uint32]:
        distinct, inverse = np.unique(rows, return_inverse=True)
        matrix = self._matrix(distinct)
        buckets = np.empty(len(rows), np.uint32)
        for start in range(0, len(rows), 16384):
            part = slice(start, start + 16384)
            buckets[part] = evaluate_pairs(matrix[inverse[part]], points[index[part]], m)
        return buckets

    def coefficients(self, row: int) -> tuple[int, int, int, int, int]:
        """Return a0, a1, b0, b1 and c of one row."""
        return coefficients_of_row(self.seed, self.label, row)

    def _matrix(self, rows: Places) -> Floats:
        """Return the rows' coefficients as `buckets_of_rows` multiplies them, shape ``(len(rows), 9)``."""
        if len(rows) and rows[-1] - rows[0] >= _SPARSE * len(rows):
            return split_coefficients(draw_coefficients(self.seed, self.label, rows.tolist()))
        matrix = np.empty((len(rows), 9))
        blocks, starts = np.unique(rows // _CACHED_ROWS, return_index=True)
        for block, (start, stop) in zip(blocks.tolist(), pairwise([*starts.tolist(), len(rows)]), strict=True):
            matrix[start:stop] = _block(self.seed, self.label, block)[rows[start:stop] % _CACHED_ROWS]
        return matrix


def seed_bytes(seed: bytes | int) -> bytes:
    """Return the 16 bytes of a seed, or raise a ParameterError."""
    if isinstance(seed, bytes) and len(seed) == 16:
        return seed
    if isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 2**128:
        return seed.to_bytes(16, "big")
    raise ParameterError("seed", f"The seed must be 16 bytes (32 hex digits) or a number of them, not {shown(seed)}.")


def puzzle_byte(seed: bytes, padded_word: str) -> int:
    """Return the byte that ties the fragments of one padded word together (report format, section 4)."""
    return hashlib.sha256(b"puzzle\x00" + seed + padded_word.encode()).digest()[0]


@lru_cache(maxsize=2048)
def _block(seed: bytes, label: str, block: int) -> Floats:
    rows = range(block * _CACHED_ROWS, (block + 1) * _CACHED_ROWS)
    return split_coefficients(draw_coefficients(seed, label, rows))


HASH_FAMILIES: Final[dict[str, Callable[[bytes, str], HashFamily]]] = {"quadratic-m31-v1": QuadraticM31}
