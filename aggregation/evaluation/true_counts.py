"""The inputs of an evaluation: elements with true counts that sum to n exactly."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import numpy as np

from ..arrays import Floats, Integers, Places

# Ratio of the exponential input: each element has so much of the share of the one before.
RATIO: Final = 1 / 1.3
INVENTED: Final = ("harmonic", "exponential", "even")


@dataclass(frozen=True, eq=False)
class TrueCounts:
    """Counts that are known before they are privatised.

    Parameters
    ----------
    name : str
        Of the input, such as ``"harmonic"``.
    elements : tuple of D str
        In the order that breaks ties.
    counts : ndarray of int64, shape (D,)
        True counts, some of which may be 0.
    """

    name: str
    elements: tuple[str, ...]
    counts: Integers

    @cached_property
    def n(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def ranks(self) -> Integers:
        return ranks(self.counts)

    def top(self, number: int) -> Places:
        """Return the places of the elements of the first ranks, in the order of these."""
        return np.argsort(self.ranks, kind="stable")[:number]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the list, one line ``element<TAB>count`` each."""
        lines = (f"{element}\t{count}\n" for element, count in zip(self.elements, self.counts.tolist(), strict=True))
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def ranks(values: Integers | Floats) -> Integers:
    """Return the rank of each value, 1 for the largest, along the last axis; of equal ones the first comes first."""
    order = np.argsort(-values, axis=-1, kind="stable")
    found = np.empty(values.shape, np.int64)
    np.put_along_axis(found, order, np.broadcast_to(np.arange(1, values.shape[-1] + 1), values.shape), axis=-1)
    return found


def invented(name: str, elements: int, reports: int) -> TrueCounts:
    """Return one of the invented inputs over frequent English words.

    Parameters
    ----------
    name : str
        ``"harmonic"`` (the i-th share ∝ 1/i), ``"exponential"`` (∝ 1.3^-i) or ``"even"``.
    elements, reports : int
        N and n, both at least 1.

    References
    ----------
    The evaluation model of Baidu's security lab for local differential privacy (2018).
    """
    place = np.arange(elements)
    weights: Floats = {
        "harmonic": 1 / (place + 1),
        "exponential": np.power(RATIO, place),
        "even": np.ones(elements),
    }[name]
    return TrueCounts(name, names(elements), apportion(weights, reports))


def apportion(weights: Floats | Integers, reports: int) -> Integers:
    """Return whole numbers in proportion to weights that sum to `reports`: largest remainder, ties to the lower rank.

    Weights have shape (D,), as has the result; whole ones are divided exactly.
    """
    if weights.dtype == np.int64:
        total = int(weights.sum())
        parts = [divmod(weight * reports, total) for weight in weights.tolist()]
        counts, remainders = np.array([part for part, _ in parts], np.int64), [rest / total for _, rest in parts]
    else:
        exact = weights / weights.sum() * reports
        counts = np.floor(exact).astype(np.int64)
        remainders = exact - counts
    largest = np.lexsort([ranks(weights), -np.asarray(remainders)])
    counts[largest[: reports - int(counts.sum())]] += 1
    return counts


def names(number: int) -> tuple[str, ...]:
    """Return so many elements: the shipped words in alphabetical order, then ``element 0001`` and so on."""
    words = _words()[:number]
    return (*words, *(f"element {place:04}" for place in range(1, number - len(words) + 1)))


@cache
def _words() -> tuple[str, ...]:
    path = Path(__file__).with_name("words.txt")
    return tuple(path.read_text(encoding="utf-8").split())


def observed(name: str, elements: Sequence[str], counts: Sequence[int], reports: int | None = None) -> TrueCounts:
    """Return a list that was observed, in proportion to `reports` if these are given."""
    own = np.array(counts, np.int64)
    return TrueCounts(name, tuple(elements), own if reports is None else apportion(own, reports))
