"""Algorithms, their parameters, and profiles of normalisation in forms; what they say comes from the mechanisms."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from aggregation.mechanisms import MECHANISMS
from aggregation.registry import ParameterWords, parameter_types
from reports.formatting import whole
from reports.mechanisms import name_of, words_of
from reports.planning import Question

# Of normalisation.
PROFILES = [
    ("emoji", _("emoji: variants that only look different count as one")),
    ("domain", _("domain: host names, without addresses and ports")),
    ("word", _("word: lower case, cut to a fixed length")),
    ("raw", _("raw: any text, as it is")),
]
_FIELDS: Mapping[type, type[forms.Field]] = {
    Decimal: forms.DecimalField,
    int: forms.IntegerField,
    str: forms.CharField,
    bool: forms.BooleanField,
}


def algorithm_choices() -> list[tuple[str, str]]:
    return [(name, gettext(words_of(name).SUMMARY)) for name in MECHANISMS]


def parameters_by_algorithm() -> dict[str, list[str]]:
    return {name: list(mechanism.parameter_types) for name, mechanism in MECHANISMS.items()}


def shared_parameters() -> list[str]:
    """List the parameters that several algorithms have."""
    return [name for name in parameter_types() if len(_having(name)) > 1]


def own_parameters() -> Iterator[tuple[str, list[str]]]:
    """Yield the algorithms that have parameters of their own, and these."""
    for algorithm, names in parameters_by_algorithm().items():
        if own := [name for name in names if _having(name) == [algorithm]]:
            yield algorithm, own


def parameter_label(name: str, algorithm: str) -> str:
    return gettext(_words(name, algorithm).label)


def parameter_fields() -> Iterator[tuple[str, forms.Field]]:
    """Yield a field for each parameter, in the words of the first algorithm that has it.

    None is required: the algorithm decides.
    """
    for name, kind in parameter_types().items():
        first = _words(name, _having(name)[0])
        yield name, _FIELDS[kind](required=False, label=gettext(first.label), help_text=_help(name, first))


def problem_beside(problem: ValidationError, algorithm: str, given: Mapping[str, object]) -> str:
    """Describe beside its field what is wrong with a parameter, whose name is the error's code."""
    name = problem.code or ""
    if name in parameter_types() and name not in given:
        return gettext("Missing: %(algorithm)s needs it.") % {"algorithm": algorithm}
    # What algorithms refuse is in words for documents, and names the field.
    rule = _words(name, algorithm).rule
    return gettext(rule) if rule else str(problem.message)


def suggested_beside(algorithm: str, value: int, question: Question) -> str:
    """Describe beside its field the suggested value of a missing parameter."""
    words = gettext(
        "Missing: %(algorithm)s needs it. %(value)s is filled in, which the planner suggests for %(reports)s reports a"
        " day and a dictionary of %(size)s elements. Save again to take it."
    )
    numbers = {"value": whole(value), "reports": whole(question.n), "size": whole(question.size)}
    return words % {"algorithm": algorithm, **numbers}


def _words(name: str, algorithm: str) -> ParameterWords:
    return words_of(algorithm).PARAMETERS.get(name, ParameterWords(name))


def _having(name: str) -> list[str]:
    return [algorithm for algorithm, mechanism in MECHANISMS.items() if name in mechanism.parameter_types]


def _help(name: str, words: ParameterWords) -> str:
    text, having = gettext(words.help) if words.help else "", _having(name)
    if having == list(MECHANISMS):
        return text
    only = gettext("Only for %(algorithms)s; leave it empty otherwise.")
    return f"{text} {only % {'algorithms': ', '.join(map(name_of, having))}}".strip()
