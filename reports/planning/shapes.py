"""The parameters of a mechanism for a plan: those that were asked for, and suggestions for the others."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS, mechanism_for
from aggregation.parameters import parse_epsilon
from aggregation.planning import Wanted, zipf_frequencies
from aggregation.registry import part_of
from reports.models.versions import without
from reports.planning.question import Question

# No plan depends on the hash functions.
ANY_SEED: Final = "00" * 16


def parameters_of(algorithm: str, question: Question) -> dict[str, Decimal | int | str]:
    """The wire parameters but for the seed; not checked, because the question may ask for what cannot be."""
    part = part_of(MECHANISMS[algorithm], "cost")
    return part.suggest(part.split(question.epsilon), _wanted(question))


def parameter_errors(
    algorithm: str, given: Mapping[str, Any], elements: Sequence[str] | None
) -> Iterator[ParameterError]:
    """Yield everything that is wrong with parameters, the dictionary of these elements included.

    A mechanism says what is wrong first: it is put right, and asked again. A seed may be left out.
    """
    known = MECHANISMS[algorithm]
    usual = {**parameters_of(algorithm, Question()), "seed": ANY_SEED}
    tried = {**({"seed": ANY_SEED} if known.has_seed else {}), **given}
    for _name in usual:
        try:
            mechanism = mechanism_for(algorithm, known.for_dictionary(tried, elements))
            if elements is not None:
                mechanism.with_dictionary(elements)
        except ParameterError as error:
            # Numbers of a stand-in for the dictionary say nothing.
            yield ParameterError(error.field, str(error)) if elements is None else error
            if error.field in known.dictionary_parameters:
                return
            tried = without(tried, {error.field})
            if error.field not in known.dictionary_defaults:
                tried[error.field] = usual[error.field]
        else:
            return


def suggest(algorithm: str, given: Mapping[str, Any], question: Question) -> dict[str, int]:
    """Suggest the parameters that are missing, for the ε that are given; nothing without them."""
    part = part_of(MECHANISMS[algorithm], "cost")
    try:
        losses = {name: parse_epsilon(name, given.get(name)) for name in part.split(question.epsilon)}
        planned = part.suggest(losses, _wanted(question))
    except ParameterError:
        return {}
    wanted = [name for name, kind in MECHANISMS[algorithm].parameter_types.items() if kind is int and name not in given]
    return {name: int(planned[name]) for name in wanted if name in planned}


def _wanted(question: Question) -> Wanted:
    frequencies = zipf_frequencies(question.size, float(question.exponent))
    return Wanted(
        n=question.reports,
        size=question.size,
        sum_of_squares=frequencies.sum_of_squares,
        k=question.k,
        m=question.m,
        complete=question.complete,
        g=question.g,
        w=question.w,
    )
