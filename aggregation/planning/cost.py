"""Cost of a day's reports to the server: a model with constants that were measured once.

Constants of ``python -m benchmarks.cost_model`` on one core of a small x86-64 server, November 2026, with Python 3.11.
Another machine may take half or twice the time.
"""

from dataclasses import dataclass
from typing import Final

from ..registry import Mechanism, part_of

# Letters of an alphabet, if it is not known yet: small Latin ones and the apostrophe.
LETTERS: Final = 27
# As `sketches.row_slices`: of so many rows at once it is known where their records are.
ROWS_AT_ONCE: Final = 2**15


@dataclass(frozen=True)
class Cost:
    """Cost of the reports of one day.

    Parameters
    ----------
    seconds : float
        On one core: to receive, check and sort them, and to read out every element. Hash rows are divided among
        workers, so that w cores need little more than 1/w of it.
    memory : float
        Bytes that a worker needs at most, beside the program itself.
    stored : int
        Bytes on disk until they are deleted.
    """

    seconds: float
    memory: float
    stored: int


def estimate_cost(mechanism: Mechanism, n: int, dictionary_size: int, letters: int = LETTERS) -> Cost:
    """Estimate what n reports of a day cost the server.

    Parameters
    ----------
    mechanism : Mechanism
        With the parameters that are planned.
    n : int
        Reports of the day, of one locale.
    dictionary_size : int
        Elements that are read out; of words, candidates.
    letters : int
        Of the alphabet, for a mechanism that finds words.

    Returns
    -------
    Cost

    Raises
    ------
    ParameterError
        If the mechanism is not registered.
    """
    part = part_of(mechanism, "cost")
    seconds = _sum(part.SECONDS, part.second_terms(mechanism, n, dictionary_size, letters))
    memory = _sum(part.BYTES, part.memory_terms(mechanism, n, dictionary_size, letters))
    return Cost(seconds, memory, n * mechanism.report_bytes)


def occupied(k: int, n: int) -> float:
    """Return in how many of k rows there are reports, on average; the others cost nothing."""
    return k * (1 - (1 - 1 / k) ** n)


def _sum(constants: tuple[float, ...], terms: list[float]) -> float:
    return sum(constant * term for constant, term in zip(constants, terms, strict=True))
