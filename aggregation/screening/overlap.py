"""Search for records that are stored already: keyed samples of earlier uploads, looked for among new records."""

import hashlib
import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..registry import Finding, Mechanism, part_of
from .tails import Count, bounded

# Records of an upload that are kept in mind, those of the lowest ranks; and so many are looked for among them.
SAMPLED: Final = 64
COMPARED: Final = 1024
# Fewer of a sample are no large part: a sixteenth of an upload, when all of its sample could be met.
LARGE_PART: Final = 4
# Records that are likelier than that come twice by chance, so that no sample of them says anything.
_DISTINCTIVE: Final = 1e-10
# The chance that two different records have one fingerprint of 64 bits.
_COLLISION: Final = 2.0**-64


def rank_keys(secret: bytes, words: int) -> NDArray[np.uint64]:
    """Return the keys that rank records of so many 32-bit words: a constant, and one for each word."""
    return np.frombuffer(hashlib.shake_256(secret).digest(8 * (words + 1)), "<u8").astype(np.uint64)


def ranks(records: bytes, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Rank records by a keyed hash of all their bytes.

    Parameters
    ----------
    records : bytes
        Whole records, one after the other.
    keys : ndarray of uint64, shape (words + 1,)
        As `rank_keys` returns them.

    Returns
    -------
    ndarray of uint64, shape (n,)
        (a_0 + Σ a_i·x_i mod 2⁶⁴) / 2³², rounded down, over the little-endian words x_i of a record: any two different
        records have two independent uniform ranks, over the choice of the keys.

    References
    ----------
    Lemire and Kaser, "Strongly universal string hashing is fast", The Computer Journal 57(11), 2014: multilinear.
    """
    words = np.frombuffer(records, "<u4").reshape(-1, len(keys) - 1)
    hashed = np.einsum("ij,j->i", words, keys[1:], dtype=np.uint64, casting="unsafe") + keys[0]
    return np.asarray(hashed >> np.uint64(32))


def likeliest_record(mechanism: Mechanism) -> float:
    """Return the most that any record of the report streams has as its probability, whatever the element."""
    return part_of(mechanism, "screening").likeliest_record(mechanism)


def is_distinctive(mechanism: Mechanism) -> bool:
    """Tell whether a record of a report that comes twice was sent twice; only long vectors are so rare."""
    sizes = {mechanism.record_dtype(stream).itemsize for stream in mechanism.report_streams}
    whole_words = len(sizes) == 1 and min(sizes) % 4 == 0
    return whole_words and likeliest_record(mechanism) <= _DISTINCTIVE


def judge_overlap(mechanism: Mechanism, n: int, seen: int, stored: int) -> Finding:
    """Test how many sampled records of earlier uploads are among n new ones.

    Parameters
    ----------
    mechanism : Mechanism
        What all of them were made with.
    n : int
        New records.
    seen : int
        Different fingerprints of earlier records that are among theirs.
    stored : int
        Fingerprints of earlier records, all that there are.

    Returns
    -------
    Finding
        Its p-value is not adjusted for other tests.

    Notes
    -----
    Whatever is stored, an honest new record equals a given one with probability q at most, that of the likeliest, and
    else shares its fingerprint with probability 2⁻⁶⁴. So with R stored ones, those seen are stochastically at most
    Binomial(n, R·(q + 2⁻⁶⁴)).
    """
    chance = min(1.0, stored * (likeliest_record(mechanism) + _COLLISION))
    facts = {"seen": seen, "expected": n * chance, "records": n}
    return Finding("stored_before", _only_stream(mechanism), Count(seen, n, chance, 1).chance(), facts)


def judge_part(mechanism: Mechanism, n: int, stored: int) -> Finding:
    """Return what it means that n records are just those of one of so many earlier uploads.

    Notes
    -----
    Devices draw a cell without looking at the element, so that the numbers of records in the cells are multinomial.
    With x of them in c cells of one kind, each of probability π, no outcome is likelier than n! times the product over
    the kinds of π^x/Γ(x/c + 1)^c, because log Γ is convex, nor times that of π^x; for the x of which that is most. And
    no n records are likelier than n!·q^n, where q is the chance of the likeliest one.
    """
    of_cells = _log_most_likely(n, part_of(mechanism, "screening").cells(mechanism))
    of_records = n * math.log(likeliest_record(mechanism))
    exponent = math.lgamma(n + 1) + min(of_cells, of_records) + math.log(max(stored, 1))
    return Finding("part_stored", _only_stream(mechanism), bounded(math.exp(min(0.0, exponent))), {"records": n})


def _log_most_likely(n: int, cells: Sequence[tuple[int, float]]) -> float:
    """Return the log of the most that π^x/max(1, Γ(x/c + 1))^c can be over kinds of cells whose x add up to n."""
    (number, chance), *others = cells

    def with_so_many(x: int) -> float:
        own = x * math.log(chance) - number * max(0.0, math.lgamma(x / number + 1))
        return own + (_log_most_likely(n - x, others) if others else 0.0)

    if not others:
        return with_so_many(n)
    # It is concave in x: thirds without the largest value are left out.
    low, high = 0, n
    while high - low > 2:
        third = (high - low) // 3
        left, right = low + third, high - third
        low, high = (left, high) if with_so_many(left) < with_so_many(right) else (low, right)
    return max(map(with_so_many, range(low, high + 1)))


def _only_stream(mechanism: Mechanism) -> str:
    """Return the stream that holds all reports, for a finding; empty if there are several."""
    streams = mechanism.report_streams
    return streams[0] if len(streams) == 1 else ""
