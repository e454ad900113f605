"""The Hadamard matrix in Sylvester's order: single entries, and products with it, without ever writing it down.

The entry of row a and column b is (-1)^popcount(a & b). At m = 32768 the matrix would have 2^30 entries; a product with
it takes log2(m) additions an entry instead.
"""

from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags
from ..errors import ParameterError

Signed = TypeVar("Signed", bound=np.signedinteger)

# A block and its double stay in a core's second-level cache.
_BLOCK_BYTES: Final = 2**18
# Sums and differences are taken of runs of at least so many numbers, where there are as many: NumPy is slow on short
# ones.
_SHORTEST_RUN: Final = 256


def sign(a: int, b: int) -> int:
    """Return the entry of row a and column b, 1 or -1, as a device computes it."""
    return -1 if (a & b).bit_count() & 1 else 1


def are_negative(a: NDArray[np.unsignedinteger], b: NDArray[np.unsignedinteger]) -> Flags:
    """Return whether the entry of row ``a[i]`` and column ``b[i]`` of Sylvester's matrix is -1, for every i.

    Both arrays have the shape of the result, or are broadcast to it.
    """
    return (np.bitwise_count(a & b) & 1).astype(bool)


def transform(table: NDArray[Signed]) -> NDArray[Signed]:
    """Multiply every row of a table by the Hadamard matrix, exactly.

    Parameters
    ----------
    table : ndarray of signed integers, shape (r, m)
        Rows, m a power of two. The type has to hold the sum of the absolute values of each row: that bounds every
        number on the way and in the result.

    Returns
    -------
    ndarray of the same type, shape (r, m)
        ``result[i, b] = Σ_a (-1)^popcount(a & b) · table[i, a]``, a new array. Transforming twice multiplies by m.

    Raises
    ------
    ParameterError
        If m is no power of two.

    Notes
    -----
    The fast Walsh-Hadamard transform: for each bit of the column number, the numbers of any two columns that differ in
    it alone become their sum and their difference. Integers, so that nothing is rounded, and the narrower the faster.
    """
    rows, m = table.shape
    if m < 1 or m & (m - 1):
        raise ParameterError("m", f"A row to transform must have a power of two of columns, not {m}.")
    result = np.empty_like(table, order="C")
    step = max(1, _BLOCK_BYTES // (m * table.itemsize))
    for start in range(0, rows, step):
        part = slice(start, start + step)
        result[part] = _transform_block(table[part].flatten(), m).reshape(-1, m)
    return result


def _transform_block(numbers: NDArray[Signed], m: int) -> NDArray[Signed]:
    """Transform each m consecutive numbers; uses them up."""
    # The lower bits' columns are neighbours. Exchanging them with the rest makes them far apart.
    low = min(m, _SHORTEST_RUN)
    high = len(numbers) // low
    numbers, spare = _butterflies(numbers, np.empty_like(numbers), m // 2, low)
    spare.reshape(low, high)[:] = numbers.reshape(high, low).T
    numbers, spare = _butterflies(spare, numbers, len(numbers) // 2, high)
    spare.reshape(high, low)[:] = numbers.reshape(low, high).T
    return spare


def _butterflies(
    numbers: NDArray[Signed], spare: NDArray[Signed], widest: int, narrowest: int
) -> tuple[NDArray[Signed], NDArray[Signed]]:
    """Add and subtract all pairs at the distances ``widest``, half of it … ``narrowest``, back and forth."""
    distance = widest
    while distance >= narrowest:
        pairs, sums = numbers.reshape(-1, 2, distance), spare.reshape(-1, 2, distance)
        np.add(pairs[:, 0], pairs[:, 1], out=sums[:, 0])
        np.subtract(pairs[:, 0], pairs[:, 1], out=sums[:, 1])
        numbers, spare, distance = spare, numbers, distance // 2
    return numbers, spare
