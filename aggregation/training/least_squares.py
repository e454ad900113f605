"""Normal equations of many small least-squares problems over rows of one table."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Integers

# Segments that are multiplied together, and numbers of theirs: few enough for a core's cache.
_TOGETHER: Final = 256
_ELEMENTS: Final = 2**18


def normal_equations(
    rows: Array, places: NDArray[np.integer], offsets: Integers, targets: Array, weights: Array | None = None
) -> tuple[Array, Array]:
    """Return Σ w x xᵀ and Σ y x over each segment of observations.

    Parameters
    ----------
    rows : ndarray, shape (m, d)
        The table.
    places : ndarray of int, shape (n,)
        Which row of the table each observation is of.
    offsets : ndarray of int64, shape (s + 1,)
        Where the segments begin.
    targets, weights : ndarray, shape (n,)
        y, which is weighted already, and w; without weights all are 1.

    Returns
    -------
    gramians : ndarray, shape (s, d, d)
    moments : ndarray, shape (s, d)
    """
    segments, d = len(offsets) - 1, rows.shape[1]
    gramians = np.zeros((segments, d, d), rows.dtype)
    moments = np.zeros((segments, d), rows.dtype)
    sizes = np.diff(offsets)
    # Segments of about one length are multiplied together, filled up with zeros; a long one is by itself.
    order = np.argsort(sizes, kind="stable")
    start = int(np.searchsorted(sizes[order], 1))
    while start < segments:
        count = max(1, min(_TOGETHER, _ELEMENTS // (d * int(sizes[order[start]]))))
        chosen = order[start : start + count]
        longest = int(sizes[chosen[-1]])
        within = np.arange(longest) < sizes[chosen, None]
        found = np.where(within, offsets[chosen, None] + np.arange(longest), 0)
        x = rows[places[found]]
        x *= within[..., None]
        transposed = np.swapaxes(x, 1, 2)
        gramians[chosen] = transposed @ (x if weights is None else x * weights[found, None])
        moments[chosen] = (transposed @ targets[found, None])[..., 0]
        start += count
    return gramians, moments


def positive(matrices: Array) -> Array:
    """Return the nearest positive semi-definite matrices, in the Frobenius norm, to symmetric ones; shape (…, d, d)."""
    values, vectors = np.linalg.eigh(matrices)
    return np.asarray((vectors * np.maximum(values, 0)[..., None, :]) @ np.swapaxes(vectors, -1, -2))
