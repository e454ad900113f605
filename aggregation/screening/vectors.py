"""Tests of noised bit vectors."""

from ..arrays import Array
from ..registry import Finding
from .ones import judge_ones
from .replays import judge_replays
from .summaries import summarize_vectors
from .uniformity import judge_evenness, judge_occupancy


def judge_vectors(stream: str, records: Array, k: int, m: int, flip: float) -> list[Finding]:
    """Return the outcomes of all tests of sorted bit vectors.

    Parameters
    ----------
    stream : str
        For the findings.
    records : structured ndarray, shape (n,)
        Sorted records of dtype ``bit_vector_dtype(m)``, n at least 1.
    k, m : int
        Rows and bits.
    flip : float
        π, the flip probability of a bit.
    """
    summary = summarize_vectors(records, m)
    return [
        *judge_ones(stream, summary, m, flip),
        judge_evenness("uneven_rows", stream, summary.rows, k),
        judge_occupancy("rows_in_use", stream, len(summary.rows.index), summary.n, k),
        *judge_replays(stream, summary, k, m, flip),
    ]
