"""Plans: what each mechanism would show, and what that would cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS, Mechanism, mechanism_for
from aggregation.planning import Cost, Expectation, Prospect, estimate_cost
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
    # How probably the wanted share is seen; None if none was named.
    chance: float | None
    # Whether collisions of a complete dictionary are corrected.
    corrected: bool
    # Variance that a report adds to the estimate of a rare element, without collisions of others.
    noise: float
    # The most that one crafted report adds to the estimate of an element.
    raised: float
    # Whether devices have to know the dictionary.
    needs_dictionary: bool
    # Characters of a record line: what a report adds to an upload, before it is compressed.
    report_bytes: int
    # Cost of one day's reports.
    cost: Cost
    per_report: Decimal
    # Loss of one person: a day, over the window, and by all of their reports that are held at the same time.
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


def is_share_seen(question: Question) -> bool:
    """Tell, in a fraction of the time that plans take, whether one of them sees the wanted share.

    Of those that count a dictionary, if there are any.
    """
    algorithms = [each for each in question.algorithms if kind_of_algorithm(each).has_dictionary]
    return any(_sees(question, algorithm) for algorithm in algorithms or question.algorithms)


def _sees(question: Question, algorithm: str) -> bool:
    try:
        mechanism = _mechanism(algorithm, parameters_of(algorithm, question))
    except ParameterError:
        return False
    return is_enough(_chance(question, mechanism), question)


def is_enough(chance: float | None, question: Question) -> bool:
    return chance is not None and chance >= question.probability


def _chance(question: Question, mechanism: Mechanism) -> float | None:
    """Return how probably the wanted share is seen; None if none was named."""
    if question.share is None:
        return None
    return _prospect(question, mechanism).probability(float(question.share) / 100)


def smallest_share(question: Question, algorithm: str) -> float | None:
    """Return the smallest share that a mechanism sees as probably as wanted; None if it sees none, or cannot be had."""
    try:
        mechanism = _mechanism(algorithm, parameters_of(algorithm, question))
    except ParameterError:
        return None
    likely = _prospect(question, mechanism).share(float(question.probability))
    return likely if likely < 1 else None


def _prospect(question: Question, mechanism: Mechanism) -> Prospect:
    return Prospect(
        mechanism,
        question.reports,
        question.size,
        float(question.exponent),
        ALPHA,
        prescribed_threshold=question.prescribed_threshold,
        complete=question.complete,
    )


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
    found = _prospect(question, mechanism).expect(float(question.probability))
    per_report = mechanism.report_epsilon
    per_day = question.limit * per_report
    held = UseCase(retention_days=question.retention).days_held
    return Plan(
        algorithm=mechanism.algorithm,
        parameters=parameters,
        expectation=found,
        chance=_chance(question, mechanism),
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
