"""Algorithms and their parameters in words."""

from collections.abc import Iterator, Mapping

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS

_ALGORITHMS = {
    "CountMeanSketch": _("Count Mean Sketch: a report is m bits, each with noise; the most accurate"),
    "HadamardCountMeanSketch": _("Hadamard Count Mean Sketch: a report is a single bit with noise; the smallest"),
}
_LABELS = {"epsilon": _("ε of a report"), "k": _("Hash functions (k)"), "m": _("Buckets (m)")}
_HELP = {
    "epsilon": _(
        "Privacy loss of one report: above 0, at most 16, up to three decimals. Smaller means better hidden people and"
        " noisier results; half of it needs several times the reports for the same chart. 4 is common, 2 is careful."
    ),
    "k": _(
        "How many hash functions devices choose from; k × m may be at most 268,435,456. More of them make lasting"
        " mistakes by collisions smaller, and reading out longer. 65536 suits Count Mean Sketch, 1024 Hadamard Count"
        " Mean Sketch."
    ),
    "m": _(
        "How many buckets each hash function has: a power of two from 8 to 1,048,576. More buckets mean fewer"
        " collisions; in Count Mean Sketch a report has so many bits (m/4 characters). 1024 suits Count Mean Sketch,"
        " 32768 Hadamard Count Mean Sketch."
    ),
}
# What the algorithms refuse, in the words of the form: theirs are for documents, and name the field.
_RULES = {
    "epsilon": _("Must be above 0 and at most 16, and a multiple of 0.001."),
    "k": _("Must be at least 1, and k × m at most 268,435,456."),
    "m": _("Must be a power of two from 8 to 1,048,576."),
    "seed": _("Must be 32 lower-case hex digits: 0 to 9 and a to f."),
}


def algorithm_choices() -> list[tuple[str, str]]:
    return [(name, str(_ALGORITHMS.get(name, name))) for name in MECHANISMS]


def parameter_names() -> list[str]:
    """The parameters of all algorithms, each once."""
    return list(dict.fromkeys(name for mechanism in MECHANISMS.values() for name in mechanism.parameter_names))


def parameter_label(name: str) -> str:
    return str(_LABELS.get(name, name))


def parameter_fields() -> Iterator[tuple[str, forms.Field]]:
    """One field for each. None is required: that is for the algorithm to say."""
    for name in parameter_names():
        kind = forms.DecimalField if name.endswith("epsilon") else forms.IntegerField
        yield name, kind(required=False, label=parameter_label(name), help_text=_help(name))


def problem_beside(error: ParameterError, algorithm: str, given: Mapping[str, object]) -> str:
    """What is wrong with a parameter, for beside its field."""
    if error.field in given:
        return str(_RULES.get(error.field, error))
    return gettext("Missing: %(algorithm)s needs it.") % {"algorithm": algorithm}


def _help(name: str) -> str:
    text = str(_HELP.get(name, ""))
    having = [algorithm for algorithm, mechanism in MECHANISMS.items() if name in mechanism.parameter_names]
    if len(having) == len(MECHANISMS):
        return text
    only = gettext("Only for %(algorithms)s; leave it empty otherwise.") % {"algorithms": ", ".join(having)}
    return f"{text} {only}".strip()
