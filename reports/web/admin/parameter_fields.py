"""Algorithms, their parameters, and profiles of normalisation in forms; what they say comes from the mechanisms."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS
from aggregation.registry import ParameterWords, parameter_types
from reports.formatting import whole
from reports.kinds import kind_of_algorithm
from reports.mechanisms import name_of, refusal, title_of, words_of
from reports.planning import Question

# Profiles of normalisation.
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


def words_by_algorithm() -> dict[str, dict[str, dict[str, str]]]:
    """Return label and help of each field that an algorithm has a use for, by algorithm and name of the field."""
    return {name: dict(_fields_of(name)) for name in MECHANISMS}


def _fields_of(algorithm: str) -> Iterator[tuple[str, dict[str, str]]]:
    for name in parameters_of(algorithm):
        words = _words(name, algorithm)
        yield name, {"label": gettext(words.label), "help": gettext(words.help) if words.help else ""}
    if kind_of_algorithm(algorithm).has_dictionary:
        yield "normalization", {}


def parameters_of(algorithm: str) -> list[str]:
    """Name the parameters of an algorithm that a form asks for, the seed among them."""
    mechanism = MECHANISMS[algorithm]
    return [*mechanism.parameter_types, *(["seed"] if mechanism.has_seed else [])]


def shared_parameters() -> list[str]:
    """List the parameters that several algorithms have."""
    return [name for name in parameter_types() if len(_having(name)) > 1]


def own_parameters() -> Iterator[tuple[str, list[str]]]:
    """Yield the algorithms that have parameters of their own, and these."""
    for algorithm, mechanism in MECHANISMS.items():
        if own := [name for name in mechanism.parameter_types if _having(name) == [algorithm]]:
            yield algorithm, own


def parameter_label(name: str, algorithm: str) -> str:
    return gettext(_words(name, algorithm).label)


def parameter_fields(algorithm: str) -> Iterator[tuple[str, forms.Field]]:
    """Yield a field for each parameter, in the words of an algorithm, or of the first that has it.

    None is required: the algorithm decides.
    """
    for name, kind in parameter_types().items():
        having = _having(name)
        words = _words(name, algorithm if algorithm in having else having[0])
        yield name, _FIELDS[kind](required=False, label=gettext(words.label), help_text=_help(name, words))


def problem_beside(error: ParameterError, algorithm: str, given: Mapping[str, object]) -> str:
    """Describe beside its field what is wrong with a parameter."""
    if error.field in parameter_types() and error.field not in given:
        return gettext("Missing: %(algorithm)s needs it.") % {"algorithm": title_of(algorithm)}
    return refusal(algorithm, error)


def filled_in(algorithm: str, values: Mapping[str, int], question: Question) -> str:
    """Say which values of the planner stand in the place of parameters that were left out."""
    words = gettext(
        "Filled in, as the planner suggests for %(reports)s reports a day and a dictionary of %(size)s elements:"
        " %(values)s."
    )
    written = (f"{parameter_label(name, algorithm)}: {whole(value)}" for name, value in values.items())
    facts = {"reports": whole(question.n), "size": whole(question.size), "values": ", ".join(written)}
    return words % facts


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
