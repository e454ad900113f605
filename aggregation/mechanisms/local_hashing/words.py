"""Texts of forms and pages about local hashing."""

from collections.abc import Mapping
from typing import Final

from ...registry import ParameterWords, Say
from ...registry import marked as _
from ..sketch_words import EPSILON, MORE_ROWS, SEED, examples, row_field
from .mechanism import LocalHashing

__all__ = ["FINDINGS", "NAME", "PARAMETERS", "SUMMARY", "TESTS", "examples", "fields", "plan"]

NAME: Final = _("local hashing")
SUMMARY: Final = _("Local hashing: a report is one bucket with noise; small, and more accurate than both")
K: Final = ParameterWords(
    _("Hash functions (k)"),
    _(
        "How many hash functions devices choose from, 2 to 65,536. More of them make lasting mistakes by collisions"
        " smaller, and reading out longer. Left empty, this form fills in what the planner suggests."
    ),
    _("Must be from 2 to 65,536."),
    MORE_ROWS,
)
G: Final = ParameterWords(
    _("Buckets of local hashing (g)"),
    _(
        "Into how many buckets elements are hashed, 2 to 65,536. Best is the whole number nearest e^ε + 1, such as 56"
        " for ε = 4: with fewer, elements collide more; with more, devices lie more often. Left empty, this form fills"
        " that in."
    ),
    _("Must be from 2 to 65,536; best is the whole number nearest e^ε + 1."),
    _("More: rarer collisions, more lies."),
)
PARAMETERS: Final[Mapping[str, ParameterWords]] = {"epsilon": EPSILON, "k": K, "g": G, "seed": SEED}
TESTS: Final = _(
    "Every batch of reports is tested before it counts: for crafted rows and buckets, reports sent again,"
    " and buckets that agree too often. What fails waits for a person, a week at most. Of honest batches, at most"
    " %(alarm)s %% fail by chance."
)

FINDINGS: Final[Mapping[str, str]] = {
    "uneven_buckets": _(
        "%(seen)s of %(records)s records name bucket %(bucket)s; %(expected)s are expected on average. Whatever honest"
        " devices observed, all rows together do not make a bucket so frequent or so rare."
    ),
    "crowded_cell": _(
        "One pair of row and bucket is named %(seen)s times among %(records)s records; even if all honest devices"
        " observed the same, they are expected to name none more than %(expected)s times. Records that were sent again"
        " look like this."
    ),
    "agreeing_buckets": _(
        "Of %(pairs)s pairs of records with the same row, %(seen)s have the same bucket; of honest devices at most"
        " %(expected)s are expected, even if all are about the same element. Records without lies, or with too few,"
        " look like this."
    ),
}


def fields(mechanism: LocalHashing, say: Say) -> list[tuple[str, str]]:
    bucket = _(
        "One of %(count)s buckets: that of what was observed, which it shares with many others, or with a probability"
        " of %(lie)s another one, drawn at random."
    )
    p, _q = mechanism.debiased.support
    return [row_field(mechanism.k, say), (say(_("bucket")), say(bucket, count=mechanism.g, lie=1 - p))]


def plan(parameters: Mapping[str, str], say: Say) -> list[str]:
    return [say(_("k = %(k)s, g = %(g)s"), k=parameters["k"], g=parameters["g"])]
