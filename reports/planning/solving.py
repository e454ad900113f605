"""Solving for the figure that a question leaves open: the smallest ε, or the fewest reports, that show the share."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Final

from reports.planning.plan import is_share_seen
from reports.planning.question import MOST_A_DAY, MOST_REPORTS, Question

# The largest ε, 16.
_MOST_TENTHS: Final = 160


def solve(question: Question) -> Question:
    """Return the question with the ε or the reports a day that are looked for; the most there are if no less do.

    Notes
    -----
    Of ε, every step of 0.1 is tried: sizes are suggested in powers of two, so that a larger ε sees less here and there.
    Of reports, bisection finds a number that is enough where one less is not. A smallest share is the limit of each
    plan, and so nothing is to be solved for.
    """
    if question.find == "epsilon":
        asked = (replace(question, epsilon=Decimal(tenths) / 10) for tenths in range(1, _MOST_TENTHS))
        return next(filter(is_share_seen, asked), replace(question, epsilon=Decimal(_MOST_TENTHS) / 10))
    if question.find == "n":
        return replace(question, n=fewest_reports(question))
    return question


def fewest_reports(question: Question) -> int:
    """Return how many reports a day show the wanted share; the most there can be if fewer do not."""

    def is_seen(n: int) -> bool:
        return is_share_seen(replace(question, n=n))

    return _smallest(is_seen, most_a_day(question))


def most_a_day(question: Question) -> int:
    return min(MOST_A_DAY, MOST_REPORTS // question.days)


def _smallest(holds: Callable[[int], bool], most: int) -> int:
    """Return a number from 1 for which it holds and for one less it does not; `most` if no smaller one is found."""
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
