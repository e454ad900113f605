"""Normal equations of many small least-squares problems over rows of one table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def normal_equations(
    rows: Array, places: NDArray[np.integer], offsets: NDArray[np.int64], targets: Array, weights: Array | None = None
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
    bounds = offsets.tolist()
    for number in range(segments):
        part = slice(bounds[number], bounds[number + 1])
        if part.start == part.stop:
            continue
        x = rows[places[part]]
        weighted = x if weights is None else x * weights[part, None]
        np.matmul(x.T, weighted, out=gramians[number])
        np.matmul(targets[part], x, out=moments[number])
    return gramians, moments


def positive(matrices: Array) -> Array:
    """Return the nearest positive semi-definite matrices, in the Frobenius norm, to symmetric ones; shape (…, d, d)."""
    values, vectors = np.linalg.eigh(matrices)
    return np.asarray((vectors * np.maximum(values, 0)[..., None, :]) @ np.swapaxes(vectors, -1, -2))
