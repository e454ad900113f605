"""The parameters of a mechanism for a plan: those that were asked for, and suggestions for the others."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS
from aggregation.parameters import wire_epsilon
from aggregation.planning import CostPart, Wanted, zipf_frequencies
from aggregation.registry import part_of
from reports.planning.question import Question


def parameters_of(algorithm: str, question: Question) -> dict[str, Decimal | int | str]:
    """The wire parameters but for the seed; not checked, because the question may ask for what cannot be."""
    part = _part(algorithm)
    return part.suggest(part.split(question.epsilon), _wanted(question))


def suggest(algorithm: str, given: Mapping[str, Any], question: Question) -> dict[str, int]:
    """Suggest the parameters that are missing, for the ε that are given; nothing without them."""
    part = _part(algorithm)
    try:
        losses = {name: wire_epsilon(name, given.get(name)) for name in part.split(question.epsilon)}
        planned = part.suggest(losses, _wanted(question))
    except ParameterError:
        return {}
    wanted = [name for name, kind in MECHANISMS[algorithm].parameter_types.items() if kind is int and name not in given]
    return {name: int(planned[name]) for name in wanted if name in planned}


def _part(algorithm: str) -> CostPart:
    part: CostPart = part_of(MECHANISMS[algorithm], "cost")
    return part


def _wanted(question: Question) -> Wanted:
    frequencies = zipf_frequencies(question.size, float(question.exponent))
    return Wanted(
        question.reports, question.size, frequencies.sum_of_squares, question.k, question.m, question.complete
    )
