"""Texts of forms and pages about Hadamard Count Mean Sketch."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ...registry import ParameterWords, Say
from ...registry import marked as _
from ..count_mean_sketch.words import plan
from ..sketch_words import EPSILON, SEED, K, M, examples, row_field
from .mechanism import HadamardCountMeanSketch

__all__ = ["FINDINGS", "NAME", "PARAMETERS", "SUMMARY", "TESTS", "examples", "fields", "plan"]

NAME: Final = _("Hadamard Count Mean Sketch")
SUMMARY: Final = _("Hadamard Count Mean Sketch: a report is a single bit with noise; as deployed for domains")
PARAMETERS: Final[Mapping[str, ParameterWords]] = {
    "epsilon": EPSILON,
    "k": K,
    "m": replace(
        M,
        help=_(
            "How many buckets each hash function has: a power of two from 8 to 1,048,576. More buckets mean fewer"
            " collisions; a report is one bit of however many. Left empty, this form fills in what the planner"
            " suggests."
        ),
        more=_("More: rarer collisions."),
    ),
    "seed": SEED,
}
TESTS: Final = _(
    "Every batch of reports is tested before it counts: for crafted rows and coordinates, reports sent again,"
    " and signs that agree too often. What fails waits for a person, a week at most. Of honest batches, at most"
    " %(alarm)s %% fail by chance."
)

FINDINGS: Final[Mapping[str, str]] = {
    "signs": _(
        "%(seen)s of %(records)s signs at coordinate 0 are minus, where all are plus before noise; of honest devices,"
        " %(expected)s are expected."
    ),
    "agreeing_signs": _(
        "Of %(pairs)s pairs of records with the same row and coordinate, %(seen)s have the same sign; of honest"
        " devices at most %(expected)s are expected, even if all are about the same element. Records without noise,"
        " or with too little, look like this."
    ),
}


def fields(mechanism: HadamardCountMeanSketch, say: Say) -> list[tuple[str, str]]:
    coordinate = _("Which of %(count)s questions about it is answered, drawn at random.")
    sign = _("The answer, yes or no (1 or -1): a single bit. With a probability of %(flip)s it is the wrong one.")
    return [
        row_field(mechanism.k, say),
        (say(_("coordinate")), say(coordinate, count=mechanism.m)),
        (say(_("sign")), say(sign, flip=1 / (math.exp(float(mechanism.epsilon)) + 1))),
    ]
