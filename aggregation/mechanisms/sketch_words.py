"""Texts about sketches, for every mechanism that has them."""

from collections.abc import Mapping
from typing import Final

from ..registry import Mechanism, ParameterWords, Say
from ..registry import marked as _

EPSILON_RULE: Final = _("Must be above 0 and at most 16, and a multiple of 0.001.")
BUCKETS_RULE: Final = _("Must be a power of two from 8 to 1,048,576.")

MORE_ROWS: Final = _("More: smaller lasting mistakes by collisions, slower to read out.")

EPSILON: Final = ParameterWords(
    _("ε of a report"),
    _(
        "Privacy loss of one report: above 0, at most 16, up to three decimals. Smaller means better hidden people and"
        " noisier results; half of it needs several times the reports for the same chart. 4 is common, 2 is careful."
    ),
    EPSILON_RULE,
)
K: Final = ParameterWords(
    _("Hash functions (k)"),
    _(
        "How many hash functions devices choose from; k × m may be at most 268,435,456. More of them make lasting"
        " mistakes by collisions smaller, and reading out longer. Left empty, this form fills in what the planner"
        " suggests."
    ),
    _("Must be at least 1, and k × m at most 268,435,456."),
    MORE_ROWS,
)
M: Final = ParameterWords(
    _("Buckets (m)"),
    _(
        "How many buckets each hash function has, and bits each report (m/4 characters): a power of two from 8 to"
        " 1,048,576. More buckets mean fewer collisions, and larger reports. Left empty, this form fills in what the"
        " planner suggests."
    ),
    BUCKETS_RULE,
    _("More: rarer collisions, larger reports."),
)
LENGTH: Final = ParameterWords(
    _("Length of words"),
    _(
        "Words are cut, or filled up with “_”, to so many characters: an even number from 2 to 16. Each two more"
        " share the reports among one more place, so that words must be more frequent to be found. 10 is common."
    ),
    _("Must be an even number from 2 to 16."),
)
SEED: Final = ParameterWords(_("Seed"), rule=_("Must be 32 lower-case hex digits: 0 to 9 and a to f."))
VECTOR_TESTS: Final = _(
    "Every batch of reports is tested before it counts: for vectors without noise, too many ones, crafted rows and"
    " reports sent again. What fails waits for a person, a week at most. Of honest batches, at most %(alarm)s %%"
    " fail by chance."
)

VECTOR_FINDINGS: Final[Mapping[str, str]] = {
    "few_ones": _(
        "In %(seen)s of %(records)s vectors the number of ones is at most %(ones)s; among those of honest devices,"
        " %(expected)s are expected. Vectors that were not noised look like this."
    ),
    "many_ones": _(
        "In %(seen)s of %(records)s vectors the number of ones is at least %(ones)s; among those of honest devices,"
        " %(expected)s are expected. Vectors that were made to count for many elements look like this."
    ),
    "same_ones": _(
        "In %(seen)s of %(records)s vectors the number of ones is exactly %(ones)s; among those of honest devices,"
        " %(expected)s are expected. Vectors that were made to one pattern look like this."
    ),
    "total_ones": _(
        "The number of ones of %(records)s vectors is %(mean)s on average; of honest devices it is %(expected)s."
        " Vectors with another amount of noise, or with more than one element, look like this."
    ),
}


def examples(mechanism: Mechanism) -> tuple[str, ...]:
    """Return none: every text may be reported."""
    return ()


def row_field(k: int, say: Say) -> tuple[str, str]:
    """Return the field that names a row of k."""
    words = _(
        "Which of %(count)s ways of writing it down was used, drawn at random. It says nothing about the content."
    )
    return say(_("row")), say(words, count=k)


def vector_fields(k: int, m: int, flip: float, about: str, say: Say) -> list[tuple[str, str]]:
    """Return the fields of a row of k and its m bits about something."""
    words = _(
        "%(count)s bits, written as hexadecimal digits, in which a single bit stands for %(about)s. Each of them was"
        " turned over with a probability of %(flip)s."
    )
    return [row_field(k, say), (say(_("bits")), say(words, count=m, about=about, flip=flip))]
