"""Texts of forms and pages about subset selection."""

from collections.abc import Mapping, Sequence
from typing import Final

from ...registry import ParameterWords, Say
from ...registry import marked as _
from ..sketch_words import EPSILON
from .mechanism import SubsetSelection

NAME: Final = _("subset selection")
SUMMARY: Final = _("Subset selection: a report is a few elements of a small dictionary that devices know")
PARAMETERS: Final[Mapping[str, ParameterWords]] = {
    "epsilon": EPSILON,
    "w": ParameterWords(
        _("Elements of a report (w)"),
        _(
            "How many elements of the dictionary a report names, from 1 to 512 and fewer than there are; best is about"
            " the number of elements divided by e^ε + 1. Left empty, it is the best for the dictionary that is there"
            " when the version is activated."
        ),
        _("Must be from 1 to 512, and less than the number of elements, “anything else” included."),
        _("More: what was observed is in reports more often, and so is everything else; reports are larger."),
        _(
            "%(w)s elements a report do not fit a dictionary of %(size)s, “anything else” included: w must be from 1 to"
            " %(most)s. Best is %(best)s, which it is if the field is left empty."
        ),
    ),
    "other": ParameterWords(
        _("Count anything else"),
        _(
            "Devices then report whatever is not in the dictionary as “anything else”, which is shown beside the"
            " elements. Otherwise they report nothing of it."
        ),
    ),
    # Words of the parameters that follow from the dictionary.
    "size": ParameterWords(
        _("Elements"),
        rule=_(
            "Subset selection takes 2 to 4,096 elements, “anything else” included, because devices are given them all."
            " Leave out rare ones and count them as anything else, or count a larger dictionary with a sketch."
        ),
        refusal=_(
            "The dictionary would have %(size)s elements, “anything else” included. Subset selection takes 2 to 4,096,"
            " because devices are given them all. Leave out rare ones and count them as anything else, or choose local"
            " hashing, which takes dictionaries of any size."
        ),
    ),
    "dictionary": ParameterWords(
        _("Digest of the dictionary"),
        rule=_("With subset selection, no element may be empty or have a line feed in it."),
    ),
}
TESTS: Final = _(
    "Every batch of reports is tested before it counts: for elements that are in more or fewer reports than the noise"
    " allows, for combinations that are too regular, and for reports sent again. What fails waits for a person, a week"
    " at most. Of honest batches, at most %(alarm)s %% fail by chance."
)

FINDINGS: Final[Mapping[str, str]] = {
    "rare_indexes": _(
        "The %(elements)s rarest elements are named %(seen)s times in %(records)s reports; of honest devices, at least"
        " %(expected)s are expected, even if their true count is 0. Reports without noise, or with too little, look"
        " like this."
    ),
    "frequent_indexes": _(
        "The %(elements)s most frequent elements are named %(seen)s times in %(records)s reports; of honest devices, at"
        " most %(expected)s are expected, even if everybody has one of them. Reports without noise, and crafted ones,"
        " look like this."
    ),
    "regular_subsets": _(
        "%(seen)s of %(records)s reports name exactly %(elements)s elements of the same half of the dictionary; of"
        " honest devices, at most %(expected)s are expected. Combinations that were not drawn at random look like this."
    ),
}


def examples(mechanism: SubsetSelection) -> Sequence[str]:
    return mechanism.elements or ()


def fields(mechanism: SubsetSelection, say: Say) -> list[tuple[str, str]]:
    words = _(
        "%(w)s of the %(count)s elements that all devices know, by their numbers in alphabetical order. What was"
        " observed is among them with a probability of %(own)s; the others were drawn at random."
    )
    return [(say(_("elements")), say(words, w=mechanism.w, count=mechanism.size, own=mechanism.own))]


def plan(parameters: Mapping[str, str], say: Say) -> list[str]:
    return [say(_("w = %(w)s of %(size)s elements"), w=parameters["w"], size=parameters["size"])]
