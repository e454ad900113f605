"""Texts of forms and pages about Sequence Fragment Puzzle."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ...registry import ParameterWords, Say
from ...registry import marked as _
from ..count_mean_sketch.words import fields as sketch_fields
from ..sketch_words import (
    BUCKETS_RULE,
    EPSILON,
    EPSILON_RULE,
    LENGTH,
    SEED,
    VECTOR_FINDINGS,
    VECTOR_TESTS,
    K,
    M,
    examples,
)
from .mechanism import SequenceFragmentPuzzle

__all__ = ["FINDINGS", "NAME", "PARAMETERS", "SUMMARY", "TESTS", "examples", "fields", "plan"]

NAME: Final = _("Sequence Fragment Puzzle")
SUMMARY: Final = _("Sequence Fragment Puzzle: finds words that are in no dictionary, letter by letter")
TESTS: Final = VECTOR_TESTS
FINDINGS: Final = VECTOR_FINDINGS
# A report has two parts, which are told apart.
PARAMETERS: Final[Mapping[str, ParameterWords]] = {
    "epsilon": replace(
        EPSILON,
        label=_("ε of the word"),
        help=_(
            "Privacy loss of the whole word that a report tells: above 0, at most 16, up to three decimals. The loss of"
            " a report is ε + ε′. Smaller means better hidden people, and fewer words that are found."
        ),
    ),
    "k": replace(
        K,
        label=_("Hash functions of words (k)"),
        help=_(
            "How many hash functions devices choose from: at most 65,536, and k × m at most 16,777,216. More of them"
            " make lasting mistakes by collisions smaller, and reading out longer. Left empty, this form fills in what"
            " the planner suggests."
        ),
        rule=_("Must be at least 1 and at most 65,536, and k × m at most 16,777,216."),
    ),
    "m": replace(M, label=_("Buckets of words (m)")),
    "fragment_epsilon": ParameterWords(
        _("ε′ of the fragment"),
        _(
            "Privacy loss of the two letters that a report tells beside the word; it adds to ε. They are spread over"
            " all places of a word and all puzzle bytes, so they need the larger part: 6 beside 2 is common."
        ),
        EPSILON_RULE,
    ),
    "fragment_k": ParameterWords(
        _("Hash functions of fragments (k′)"),
        _("The same as k, for the sketches of fragments."),
        _("Must be at least 1 and at most 65,536, and k′ × m′ at most 16,777,216."),
    ),
    "fragment_m": ParameterWords(
        _("Buckets of fragments (m′)"), _("The same as m, for the sketches of fragments."), BUCKETS_RULE
    ),
    "length": LENGTH,
    "seed": SEED,
}


def fields(mechanism: SequenceFragmentPuzzle, say: Say) -> list[tuple[str, str]]:
    place = _("Which two letters follow: one of %(count)s places, drawn at random.")
    return [
        (say(_("place")), say(place, count=len(mechanism.positions))),
        *sketch_fields(mechanism.fragments, say, _("two letters of the word, with a check value of the whole word")),
        *sketch_fields(mechanism.words, say, _("the word")),
    ]


def plan(parameters: Mapping[str, str], say: Say) -> list[str]:
    def shape(prefix: str) -> dict[str, str]:
        return {name: parameters[f"{prefix}{name}"] for name in ("epsilon", "k", "m")}

    return [
        say(_("words: ε = %(epsilon)s, k = %(k)s, m = %(m)s"), **shape("")),
        say(_("two letters: ε′ = %(epsilon)s, k′ = %(k)s, m′ = %(m)s"), **shape("fragment_")),
        say(_("length %(length)s"), length=parameters["length"]),
    ]
