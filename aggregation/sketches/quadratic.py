"""The arithmetic of the family ``quadratic-m31-v1``: once in plain integers, once as matrix products."""

import hashlib
import struct
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Integers

P: Final = 2**31 - 1

_LOW_16: Final = 2**16 - 1
_FIVE_WORDS: Final = struct.Struct("<5Q")
# Adding 2^52 to an integer below 2^52 makes a float64 whose low 52 bits are that integer.
_INTEGER_BITS: Final = 2.0**52
# OpenBLAS divides a product among threads from 2^18 multiplications on. These are so few that threads, which wait for
# each other in loops, would cost many times what they save wherever other programs run.
_CELLS_OF_ONE_THREAD: Final = 2**18 // 9


def coordinates(element: str) -> tuple[int, int, int, int]:
    """Return x0, x1, y0, y1 of an element: a number of GF(p²) and its square."""
    u = int.from_bytes(hashlib.sha256(b"element\x00" + element.encode()).digest()[:8], "little")
    x0, x1 = (u & P) % P, (u >> 31 & P) % P
    return x0, x1, (x0 * x0 - x1 * x1) % P, 2 * x0 * x1 % P


def coordinates_of(elements: Iterable[str]) -> Integers:
    """Return the `coordinates` of many elements, shape ``(D, 4)``."""
    digests = b"".join([hashlib.sha256(b"element\x00" + element.encode()).digest() for element in elements])
    u = np.frombuffer(digests, "<u8").reshape(-1, 4)[:, 0]
    x0, x1 = (((u >> np.uint64(shift)) & np.uint64(P)).astype(np.int64) % P for shift in (0, 31))
    # Squares stay below 2^62, and twice a product below 2^63.
    return np.stack([x0, x1, (x0 * x0 - x1 * x1) % P, 2 * x0 * x1 % P], axis=1)


def bucket_of(coefficients: Sequence[int], point: Sequence[int], m: int) -> int:
    """Return the bucket one row gives one point, in plain integers."""
    a0, a1, b0, b1, c = coefficients
    x0, x1, y0, y1 = point
    return (a0 * x0 + a1 * x1 + b0 * y0 + b1 * y1 + c) % P % m


def coefficients_of_row(seed: bytes, label: str, row: int) -> tuple[int, int, int, int, int]:
    """Return a0, a1, b0, b1 and c of one row, in plain integers."""
    text = label.encode() + b"\x00" + seed + row.to_bytes(4, "little")
    a0, a1, b0, b1, c = _FIVE_WORDS.unpack_from(hashlib.sha512(text).digest())
    return a0 % P, a1 % P, b0 % P, b1 % P, c % P


def draw_coefficients(seed: bytes, label: str, rows: Iterable[int]) -> Integers:
    """Return a0, a1, b0, b1 and c of the given rows, shape ``(len(rows), 5)``."""
    prefix = label.encode() + b"\x00" + seed
    digests = b"".join([hashlib.sha512(prefix + row.to_bytes(4, "little")).digest() for row in rows])
    words = np.frombuffer(digests, "<u8").reshape(-1, 8)[:, :5]
    return (words % np.uint64(P)).astype(np.int64)


def split_points(xy: Integers) -> Floats:
    """Return coordinates ``(D, 4)`` as factors of a matrix product, shape ``(D, 9)``: 16-bit halves, and a one."""
    points = np.ones((len(xy), 9))
    points[:, 0:8:2] = xy & _LOW_16
    points[:, 1:8:2] = xy >> 16
    return points


def split_coefficients(rows: Integers) -> Floats:
    """Return coefficients ``(R, 5)`` as the other factors, shape ``(R, 9)``: each a and a * 2^16 mod p, and c."""
    matrix = np.empty((len(rows), 9))
    matrix[:, 0:8:2] = rows[:, :4]
    matrix[:, 1:8:2] = (rows[:, :4] << 16) % P
    matrix[:, 8] = rows[:, 4] + _INTEGER_BITS
    return matrix


def evaluate(matrix: Floats, points: Floats, m: int) -> NDArray[np.uint32]:
    """Evaluate every row's quadratic at every point.

    Parameters
    ----------
    matrix : ndarray of float64, shape (R, 9)
        From `split_coefficients`.
    points : ndarray of float64, shape (D, 9)
        From `split_points`.
    m : int
        Buckets.

    Returns
    -------
    ndarray of uint32, shape (R, D)
        Buckets.

    Notes
    -----
    Exact in float64, in whatever order BLAS sums: a x = a low + (a 2^16 mod p) high has products below 2^47 and 2^46;
    four of each and c stay below 2^50. With 2^52 added, every partial sum is an integer below 2^53.
    """
    sums = _products(matrix, points).view(np.int64)
    # 2^31 = 1 (mod p): the bits above the 31st are added to those below, which leaves less than 2p.
    high = sums >> 31
    high &= 2**21 - 1
    sums &= P
    sums += high
    buckets: NDArray[np.uint32] = sums.astype(np.uint32)
    # Below p, subtracting p wraps round to a huge number; p itself must become 0.
    np.minimum(buckets, buckets - np.uint32(P), out=buckets)
    if m & (m - 1) == 0:
        np.bitwise_and(buckets, np.uint32(m - 1), out=buckets)
    else:
        # NumPy divides by one number with vector instructions, but has no such remainder.
        multiples = buckets // np.uint32(m)
        multiples *= np.uint32(m)
        buckets -= multiples
    return buckets


def _products(matrix: Floats, points: Floats) -> Floats:
    """Return ``matrix @ points.T``, in parts that OpenBLAS does not divide among threads."""
    products = np.empty((len(matrix), len(points)))
    height = min(len(matrix), _CELLS_OF_ONE_THREAD)
    width = _CELLS_OF_ONE_THREAD // max(height, 1)
    for row in range(0, len(matrix), _CELLS_OF_ONE_THREAD):
        for point in range(0, len(points), width):
            part = (slice(row, row + height), slice(point, point + width))
            np.matmul(matrix[part[0]], points[part[1]].T, out=products[part])
    return products


def evaluate_pairs(matrix: Floats, points: Floats, m: int) -> NDArray[np.uint32]:
    """Evaluate the quadratic of row i at point i for every i.

    Parameters
    ----------
    matrix, points : ndarray of float64, shape (N, 9)
        Coefficients of the rows, and points as `split_points` returns them.
    m : int
        Number of buckets.

    Returns
    -------
    ndarray of uint32, shape (N,)
        Buckets, 0 … m - 1.
    """
    sums = np.einsum("ij,ij->i", matrix, points) - _INTEGER_BITS
    buckets: NDArray[np.uint32] = (sums.astype(np.int64) % P % m).astype(np.uint32)
    return buckets
