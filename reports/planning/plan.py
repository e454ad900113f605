"""Plans: what each mechanism would show, and what that would cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS, Mechanism, mechanism_for
from aggregation.planning import LIKELY, Cost, Expectation, detection_probability, estimate_cost, expect
from aggregation.registry import estimator_of
from aggregation.screening import effect_of_fakes
from reports.kinds import kind_of, kind_of_algorithm
from reports.models import UseCase
from reports.planning.question import Question
from reports.planning.shapes import ANY_SEED, parameters_of
from reports.privacy import WORKER_BYTES

# As a use case has it at first: expected elements without reports that are shown.
ALPHA: Final = 0.05


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
    # Whether collisions of a complete dictionary are corrected.
    corrected: bool
    # Variance that a report adds to the estimate of a rare element, without collisions of others.
    noise: float
    # What one crafted report adds to the estimate of an element, at most.
    raised: float
    # Whether devices have to know the dictionary.
    needs_dictionary: bool
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


def may_see_share(question: Question) -> bool:
    """Tell, in a fraction of the time that plans take, whether one of them may see the wanted share; if not, none does.

    Of those that count a dictionary, if there are any.
    """
    algorithms = [each for each in question.algorithms if kind_of_algorithm(each).has_dictionary]
    return any(_sees(question, algorithm) for algorithm in algorithms or question.algorithms)


def _sees(question: Question, algorithm: str) -> bool:
    try:
        mechanism = _mechanism(algorithm, parameters_of(algorithm, question))
    except ParameterError:
        return False
    share = float(question.share or 0) / 100
    threshold, complete = question.prescribed_threshold, question.complete
    law = _law(question)
    found = detection_probability(share, mechanism, *law, prescribed_threshold=threshold, complete=complete)
    return found >= LIKELY


def _law(question: Question) -> tuple[int, int, float, float]:
    return question.reports, question.size, float(question.exponent), ALPHA


def _plan(question: Question, algorithm: str) -> Plan | NotPossible:
    parameters = parameters_of(algorithm, question)
    try:
        mechanism = _mechanism(algorithm, parameters)
    except ParameterError as error:
        return NotPossible(algorithm, error)
    return _of(question, mechanism, parameters)


def _mechanism(algorithm: str, parameters: Mapping[str, Decimal | int | str]) -> Mechanism:
    known = MECHANISMS[algorithm]
    given = {**parameters, **({"seed": ANY_SEED} if known.has_seed else {})}
    return mechanism_for(algorithm, known.for_dictionary(given, None))


def _of(question: Question, mechanism: Mechanism, parameters: dict[str, Decimal | int | str]) -> Plan:
    threshold, complete = question.prescribed_threshold, question.complete
    found = expect(mechanism, *_law(question), prescribed_threshold=threshold, complete=complete)
    per_report = mechanism.report_epsilon
    per_day = question.limit * per_report
    held = UseCase(retention_days=question.retention).days_held
    return Plan(
        algorithm=mechanism.algorithm,
        parameters=parameters,
        expectation=found,
        corrected=estimator_of(mechanism, question.size, complete=question.complete).name == "corrected",
        noise=float(mechanism.debiased.variance(np.zeros(1), question.reports, question.reports)[0]) / question.reports,
        raised=effect_of_fakes(mechanism).raised,
        needs_dictionary=mechanism.needs_dictionary,
        report_bytes=mechanism.report_characters,
        cost=estimate_cost(mechanism, question.n, found.candidates),
        per_report=per_report,
        per_day=per_day,
        over_window=per_day * question.days,
        over_retention=per_day * held,
        days_held=held,
    )
