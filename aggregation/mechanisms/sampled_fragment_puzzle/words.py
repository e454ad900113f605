"""Texts of forms and pages about the sampled fragment puzzle."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ...registry import ParameterWords, Say
from ...registry import marked as _
from ..local_hashing.words import FINDINGS as BUCKET_FINDINGS
from ..local_hashing.words import TESTS, G, K
from ..sketch_words import EPSILON, LENGTH, SEED, examples
from .mechanism import SampledFragmentPuzzle

__all__ = ["FINDINGS", "NAME", "PARAMETERS", "SUMMARY", "TESTS", "examples", "fields", "plan"]

NAME: Final = _("sampled fragment puzzle")
SUMMARY: Final = _("Sampled fragment puzzle: finds words that are in no dictionary, several times as many")
_SHAPE_RULE: Final = _("k must be from 2 to 65,536, and k × g at most 16,777,216.")
FINDINGS: Final[Mapping[str, str]] = {
    **BUCKET_FINDINGS,
    "uneven_kinds": _(
        "%(seen)s of %(records)s records are about two letters, the others about a whole word; of honest devices,"
        " %(expected)s are expected."
    ),
}
PARAMETERS: Final[Mapping[str, ParameterWords]] = {
    "epsilon": EPSILON,
    "k": replace(
        K,
        label=_("Hash functions of words (k)"),
        help=_(
            "How many hash functions devices choose from: 2 to 65,536, and k × g at most 16,777,216. More of them make"
            " lasting mistakes by collisions smaller, and reading out longer. Left empty, this form fills in what the"
            " planner suggests."
        ),
        rule=_SHAPE_RULE,
    ),
    "g": replace(G, label=_("Buckets of words (g)")),
    "fragment_k": ParameterWords(
        _("Hash functions of fragments (k′)"), _("The same as k, for the sketches of fragments."), _SHAPE_RULE
    ),
    "fragment_g": ParameterWords(
        _("Buckets of fragments (g′)"), _("The same as g, for the sketches of fragments."), G.rule
    ),
    "fragment_share": ParameterWords(
        _("Share of fragments"),
        _(
            "Which part of the reports is about two letters of a word; the others are about the whole word. From 0.001"
            " to 0.999, up to three decimals; left empty it is 0.8, which is near the best from 100,000 to 10 million"
            " reports."
        ),
        _("Must be from 0.001 to 0.999, and a multiple of 0.001."),
    ),
    "length": LENGTH,
    "seed": SEED,
}


def fields(mechanism: SampledFragmentPuzzle, say: Say) -> list[tuple[str, str]]:
    share = float(mechanism.fragment_share)
    kind = _(
        "What the report is about: with a probability of %(whole)s the whole word (0), else two of its letters, with a"
        " check value of the whole word, from one of %(count)s places, drawn at random. That does not depend on the"
        " word."
    )
    row = _(
        "Which of %(rows)s ways of writing it down was used, or of %(fragment_rows)s for two letters, drawn at random."
        " It says nothing about the content."
    )
    bucket = _(
        "One of %(buckets)s buckets, or of %(fragment_buckets)s for two letters: that of what the report is about,"
        " which it shares with many others, or with a probability of %(lie)s another one, drawn at random; for two"
        " letters %(fragment_lie)s."
    )
    (k, g), (fragment_k, fragment_g) = mechanism.word_shape, mechanism.fragment_shape
    lie, fragment_lie = (sketch.lie_threshold / 2**64 for sketch in (mechanism.words, mechanism.fragments))
    buckets = {"buckets": g, "fragment_buckets": fragment_g, "lie": lie, "fragment_lie": fragment_lie}
    return [
        (say(_("place")), say(kind, whole=1 - share, count=len(mechanism.positions))),
        (say(_("row")), say(row, rows=k, fragment_rows=fragment_k)),
        (say(_("bucket")), say(bucket, **buckets)),
    ]


def plan(parameters: Mapping[str, str], say: Say) -> list[str]:
    def shape(prefix: str) -> dict[str, str]:
        return {name: parameters[f"{prefix}{name}"] for name in ("k", "g")}

    return [
        say(_("words: k = %(k)s, g = %(g)s"), **shape("")),
        say(_("two letters: k′ = %(k)s, g′ = %(g)s"), **shape("fragment_")),
        say(
            _("%(share)s of the reports are about two letters, length %(length)s"),
            share=parameters["fragment_share"],
            length=parameters["length"],
        ),
    ]
