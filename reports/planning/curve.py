"""The smallest share that is seen, against reports, for several ε."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from reports.planning.plan import smallest_share
from reports.planning.question import Question
from reports.planning.solving import most_a_day

_EPSILONS: Final = (Decimal(1), Decimal(2), Decimal(4), Decimal(8))
# From a thirtieth of the reports to thirty times as many.
_FACTORS: Final = tuple(10 ** (power / 2) for power in range(-3, 4))


@dataclass(frozen=True)
class Curve:
    """Curve of a mechanism: a line for each ε, with a share, or None, for each number of reports a day."""

    algorithm: str
    reports: Sequence[int]
    lines: Sequence[tuple[Decimal, Sequence[float | None]]]


def curve(question: Question, algorithm: str) -> Curve:
    """Return the curve about a question, whose own ε and reports are among those of the curve."""
    most = most_a_day(question)
    reports = sorted({min(max(round(question.n * factor), 1), most) for factor in _FACTORS})
    return Curve(
        algorithm,
        reports,
        [
            (epsilon, [smallest_share(replace(question, n=n, epsilon=epsilon), algorithm) for n in reports])
            for epsilon in sorted({*_EPSILONS, question.epsilon})
        ],
    )
