"""Algorithms, their parameters, and profiles of normalisation in words."""

from collections.abc import Iterator, Mapping

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from aggregation.mechanisms import MECHANISMS
from reports.formatting import whole
from reports.models.alphabets import discovers
from reports.planning import Question

_ALGORITHMS = {
    "CountMeanSketch": _("Count Mean Sketch: a report is m bits, each with noise; the most accurate"),
    "HadamardCountMeanSketch": _("Hadamard Count Mean Sketch: a report is a single bit with noise; the smallest"),
    "SequenceFragmentPuzzle": _("Sequence Fragment Puzzle: finds words that are in no dictionary, letter by letter"),
}
# Of normalisation.
PROFILES = [
    ("emoji", _("emoji: variants that only look different count as one")),
    ("domain", _("domain: host names, without addresses and ports")),
    ("word", _("word: lower case, cut to a fixed length")),
    ("raw", _("raw: any text, as it is")),
]
_LABELS = {
    "epsilon": _("ε of a report"),
    "k": _("Hash functions (k)"),
    "m": _("Buckets (m)"),
    "fragment_epsilon": _("ε′ of the fragment"),
    "fragment_k": _("Hash functions of fragments (k′)"),
    "fragment_m": _("Buckets of fragments (m′)"),
    "length": _("Length of words"),
}
# Where a report has two parts, they are told apart.
_LABELS_OF_WORDS = {
    "epsilon": _("ε of the word"),
    "k": _("Hash functions of words (k)"),
    "m": _("Buckets of words (m)"),
}
_HELP = {
    "epsilon": _(
        "Privacy loss of one report: above 0, at most 16, up to three decimals. Smaller means better hidden people and"
        " noisier results; half of it needs several times the reports for the same chart. 4 is common, 2 is careful."
        " With Sequence Fragment Puzzle this is the ε of the whole word, and the loss of a report is ε + ε′."
    ),
    "k": _(
        "How many hash functions devices choose from; k × m may be at most 268,435,456 (Sequence Fragment Puzzle:"
        " 16,777,216, and k 65,536). More of them make lasting mistakes by collisions smaller, and reading out longer."
        " Left empty, this form fills in what the planner suggests."
    ),
    "m": _(
        "How many buckets each hash function has: a power of two from 8 to 1,048,576. More buckets mean fewer"
        " collisions; in Count Mean Sketch a report has so many bits (m/4 characters). Left empty, this form fills in"
        " what the planner suggests."
    ),
    "fragment_epsilon": _(
        "Privacy loss of the two letters that a report tells beside the word; it adds to ε. They are spread over all"
        " places of a word and all puzzle bytes, so they need the larger part: 6 beside 2 is common."
    ),
    "fragment_k": _("The same as k, for the sketches of fragments."),
    "fragment_m": _("The same as m, for the sketches of fragments."),
    "length": _(
        "Words are cut, or filled up with “_”, to so many characters: an even number from 2 to 16. Each two more"
        " share the reports among one more place, so that words must be more frequent to be found. 10 is common."
    ),
}
# What the algorithms refuse, in the words of the form: theirs are for documents, and name the field.
_RULES = {
    "epsilon": _("Must be above 0 and at most 16, and a multiple of 0.001."),
    "k": _("Must be at least 1, and k × m at most 268,435,456."),
    "m": _("Must be a power of two from 8 to 1,048,576."),
    "fragment_epsilon": _("Must be above 0 and at most 16, and a multiple of 0.001."),
    "fragment_k": _("Must be at least 1 and at most 65,536, and k′ × m′ at most 16,777,216."),
    "fragment_m": _("Must be a power of two from 8 to 1,048,576."),
    "length": _("Must be an even number from 2 to 16."),
    "seed": _("Must be 32 lower-case hex digits: 0 to 9 and a to f."),
}
_RULES_OF_WORDS = {"k": _("Must be at least 1 and at most 65,536, and k × m at most 16,777,216.")}


def algorithm_choices() -> list[tuple[str, str]]:
    return [(name, str(_ALGORITHMS.get(name, name))) for name in MECHANISMS]


def parameter_names() -> list[str]:
    """The parameters of all algorithms, each once."""
    return list(dict.fromkeys(name for mechanism in MECHANISMS.values() for name in mechanism.parameter_names))


def parameters_by_algorithm() -> dict[str, list[str]]:
    return {name: list(mechanism.parameter_names) for name, mechanism in MECHANISMS.items()}


def shared_parameters() -> list[str]:
    """Those that every algorithm has."""
    return [name for name in parameter_names() if all(name in one.parameter_names for one in MECHANISMS.values())]


def parameter_label(name: str, algorithm: str = "") -> str:
    labels = _LABELS | _LABELS_OF_WORDS if discovers(algorithm) else _LABELS
    return str(labels.get(name, name))


def parameter_fields() -> Iterator[tuple[str, forms.Field]]:
    """One field for each. None is required: that is for the algorithm to say."""
    for name in parameter_names():
        kind = forms.DecimalField if name.endswith("epsilon") else forms.IntegerField
        yield name, kind(required=False, label=parameter_label(name), help_text=_help(name))


def problem_beside(problem: ValidationError, algorithm: str, given: Mapping[str, object]) -> str:
    """What is wrong with a parameter, whose name is the error's code, for beside its field."""
    name = problem.code or ""
    if name in parameter_names() and name not in given:
        return gettext("Missing: %(algorithm)s needs it.") % {"algorithm": algorithm}
    rules = _RULES | _RULES_OF_WORDS if discovers(algorithm) else _RULES
    return str(rules.get(name, problem.message))


def suggested_beside(algorithm: str, value: int, question: Question) -> str:
    """What was filled in for a parameter that is missing, for beside its field."""
    words = gettext(
        "Missing: %(algorithm)s needs it. %(value)s is filled in, which the planner suggests for %(reports)s reports a"
        " day and a dictionary of %(size)s elements. Save again to take it."
    )
    numbers = {"value": whole(value), "reports": whole(question.n), "size": whole(question.size)}
    return words % {"algorithm": algorithm, **numbers}


def _help(name: str) -> str:
    text = str(_HELP.get(name, ""))
    if name in shared_parameters():
        return text
    having = [title for algorithm, title in algorithm_choices() if name in MECHANISMS[algorithm].parameter_names]
    titles = ", ".join(title.partition(":")[0] for title in having)
    only = gettext("Only for %(algorithms)s; leave it empty otherwise.") % {"algorithms": titles}
    return f"{text} {only}".strip()
