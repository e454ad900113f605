"""Plans: what each mechanism would show, and what that would cost."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS, Mechanism, mechanism_for
from aggregation.planning import Cost, Expectation, estimate_cost, expect
from reports.kinds import kind_of
from reports.models import UseCase
from reports.planning.question import Question
from reports.planning.shapes import parameters_of
from reports.privacy import WORKER_BYTES

# As a use case has it at first: expected elements without reports that are shown.
ALPHA: Final = 0.05
# No plan depends on the hash functions.
_SEED: Final = "0" * 32


@dataclass(frozen=True)
class NotPossible:
    """A mechanism that cannot be had with these parameters, and why."""

    algorithm: str
    error: ParameterError


@dataclass(frozen=True)
class Plan:
    """One mechanism with all its parameters."""

    algorithm: str
    # Wire parameters but for the seed.
    parameters: dict[str, Decimal | int | str]
    expectation: Expectation
    # Characters of a record line: what a report adds to an upload, before it is compressed.
    report_bytes: int
    # Of one day's reports.
    cost: Cost
    per_report: Decimal
    # What one person can lose: a day, over the window, and by all of their reports that are held at the same time.
    per_day: Decimal
    over_window: Decimal
    over_retention: Decimal
    days_held: int

    @property
    def memory(self) -> float:
        """Bytes of a worker, at most, the program itself included."""
        return WORKER_BYTES + self.cost.memory

    @property
    def finds_words(self) -> bool:
        return not kind_of(self).has_dictionary


def plans(question: Question) -> list[Plan | NotPossible]:
    """A plan for each mechanism that the question is about."""
    return [_plan(question, algorithm) for algorithm in question.algorithms]


def _plan(question: Question, algorithm: str) -> Plan | NotPossible:
    parameters = parameters_of(algorithm, question)
    try:
        seed = {"seed": _SEED} if MECHANISMS[algorithm].has_seed else {}
        mechanism = mechanism_for(algorithm, {**parameters, **seed})
    except ParameterError as error:
        return NotPossible(algorithm, error)
    return _of(question, mechanism, parameters)


def _of(question: Question, mechanism: Mechanism, parameters: dict[str, Decimal | int | str]) -> Plan:
    found = expect(
        mechanism,
        question.reports,
        question.size,
        float(question.exponent),
        ALPHA,
        prescribed_threshold=question.prescribed_threshold,
    )
    per_report = mechanism.report_epsilon
    per_day = question.limit * per_report
    held = UseCase(retention_days=question.retention).days_held
    return Plan(
        algorithm=mechanism.algorithm,
        parameters=parameters,
        expectation=found,
        report_bytes=mechanism.report_characters,
        cost=estimate_cost(mechanism, question.n, found.candidates),
        per_report=per_report,
        per_day=per_day,
        over_window=per_day * question.days,
        over_retention=per_day * held,
        days_held=held,
    )
