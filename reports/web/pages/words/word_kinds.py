"""What is said of words by their kind: how many are new or undecided, and why a kind has none."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import whole
from reports.models import Histogram
from reports.results import HistogramView, is_first_list


def newcomers(view: HistogramView) -> str:
    """That some words are new; empty if none is, or if the reader chose a kind."""
    new = view.tally.new
    if not new or view.query.words not in ("", "all"):
        return ""
    words = ngettext("%(count)s word is new since the last run.", "%(count)s words are new since the last run.", new)
    return words % {"count": whole(new)}


def none_of_kind(view: HistogramView, histogram: Histogram) -> str:
    """Why a list with words shows none of those that were asked for."""
    kind, total = view.query.words, view.total
    if kind == "new" and is_first_list(histogram):
        return _("This is the first list of this locale: there is nothing to compare with.")
    if kind == "new" and view.tally.hidden:
        return _("All words that are new since the last run were rejected.")
    words = {
        "new": ngettext(
            "The one word above the threshold is not new since the last run.",
            "None of the %(total)s words above the threshold is new since the last run.",
            total,
        ),
        "undecided": ngettext(
            "Somebody has decided about the one word above the threshold.",
            "Somebody has decided about each of the %(total)s words above the threshold.",
            total,
        ),
        "accepted": ngettext(
            "The one word above the threshold is not accepted.",
            "None of the %(total)s words above the threshold is accepted.",
            total,
        ),
        "rejected": ngettext(
            "The one word above the threshold is not rejected.",
            "None of the %(total)s words above the threshold is rejected.",
            total,
        ),
        "truncated": ngettext(
            "The one word above the threshold is not marked as truncated.",
            "None of the %(total)s words above the threshold is marked as truncated.",
            total,
        ),
        "foreign": ngettext(
            "The one word above the threshold is not marked as foreign.",
            "None of the %(total)s words above the threshold is marked as foreign.",
            total,
        ),
    }
    everything = ngettext(
        "The one word above the threshold was rejected.",
        "All %(total)s words above the threshold were rejected.",
        total,
    )
    return words.get(kind, everything) % {"total": whole(total)}


def sort_label(view: HistogramView) -> str:
    """Of the link to the page on which owners sort the words."""
    undecided = view.tally.undecided
    if not undecided:
        return _("Sort these words")
    return _("Sort these words (%(count)s undecided)") % {"count": whole(undecided)}
