"""How a histogram is to be read, in whole sentences: on its page, and in pictures of it."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import small_percent, whole
from reports.models import Histogram
from reports.results import HistogramView, in_no_group
from reports.web.pages.periods import not_counted_words
from reports.web.pages.words.words_facts import recall


def caption(view: HistogramView, histogram: Histogram, below: str) -> str:
    """`below` says how many elements, groups or candidates are not shown."""
    if view.discovery is not None:
        found = [_of_words(histogram, below), recall(histogram.discovery)]
    elif view.grouping is not None:
        found = [_of_groups(histogram, below), _left_out(view, histogram)]
    else:
        found = [_of_elements(histogram, below), _limit(histogram)]
    if view.query.values:
        found.append(
            _(
                "The values are made consistent with each other: all estimates of the dictionary are moved by the same"
                " number, and what falls below zero is set to zero, so that together they add up to n. This makes them"
                " systematically a little too large or too small, and they have no interval of their own; the"
                " intervals beside them belong to the raw estimates."
            )
        )
    if view.query.scale == "log":
        found.append(
            _(
                "The axis of the chart is logarithmic and has no zero: an interval that leaves the chart on the left"
                " goes on to zero or below."
            )
        )
    found += not_counted_words(histogram.version, view.not_counted)
    return " ".join(sentence for sentence in found if sentence)


def _of_elements(histogram: Histogram, below: str) -> str:
    if histogram.is_prescribed:
        words = _(
            "Estimated share of reports, not of people; 95 %% intervals, adjusted for showing only the largest. The"
            " threshold T = %(threshold)s reports is prescribed: elements below it are not shown, also those that could"
            " be told from noise. %(below)s."
        )
        return words % {"threshold": _threshold(histogram), "below": below}
    words = _(
        "Estimated share of reports, not of people; 95 %% intervals, adjusted for showing only the largest. Elements"
        " below the threshold T = %(threshold)s reports cannot be told from noise, and are not shown. %(below)s."
    )
    return words % {"threshold": _threshold(histogram), "below": below}


def _limit(histogram: Histogram) -> str:
    if histogram.threshold is None or histogram.n == 0:
        return ""
    words = _("With n = %(n)s reports, an element needs a share of about %(share)s to be seen.")
    return words % {"n": whole(histogram.n), "share": small_percent(histogram.threshold / histogram.n)}


def _of_groups(histogram: Histogram, below: str) -> str:
    if histogram.prescribed_threshold is not None:
        words = _(
            "Estimated share of reports, not of people; 95 %% intervals, adjusted for showing only the largest. Each"
            " group is the sum of all its elements, also of those that are not shown, and has its own error and its own"
            " threshold T, which grows with the number of elements in it and is at least %(prescribed)s reports, as"
            " prescribed. Groups below their own threshold are not shown. %(below)s."
        )
        return words % {"prescribed": whole(histogram.prescribed_threshold), "below": below}
    words = _(
        "Estimated share of reports, not of people; 95 %% intervals, adjusted for showing only the largest. Each group"
        " is the sum of all its elements, also of those that are not shown, and has its own error and its own threshold"
        " T, which grows with the number of elements in it. Groups below their own threshold cannot be told from noise,"
        " and are not shown. %(below)s."
    )
    return words % {"below": below}


def _left_out(view: HistogramView, histogram: Histogram) -> str:
    if view.grouping is None or histogram.revision is None:
        return ""
    count = in_no_group(view.grouping, histogram.revision)
    if not count:
        return ""
    words = ngettext(
        "%(count)s element has no category and is in no group.",
        "%(count)s elements have no category and are in no group.",
        count,
    )
    return words % {"count": whole(count)}


def _of_words(histogram: Histogram, below: str) -> str:
    if histogram.is_prescribed:
        words = _(
            "Words that no device knew beforehand, put together from fragments. Estimated share of all reports, with"
            " 95 %% intervals, adjusted for showing only the largest. Devices report only words that their own"
            " dictionary lacks, so this is not how often people type a word, nor how many people do. The threshold T ="
            " %(threshold)s reports is prescribed: words below it are not shown, also those that could be told from"
            " noise. %(below)s."
        )
        return words % {"threshold": _threshold(histogram), "below": below}
    words = _(
        "Words that no device knew beforehand, put together from fragments. Estimated share of all reports, with 95 %%"
        " intervals, adjusted for showing only the largest. Devices report only words that their own dictionary lacks,"
        " so this is not how often people type a word, nor how many people do. Words below the threshold T ="
        " %(threshold)s reports cannot be told from noise, and are not shown. %(below)s."
    )
    return words % {"threshold": _threshold(histogram), "below": below}


def _threshold(histogram: Histogram) -> str:
    return "" if histogram.threshold is None else whole(histogram.threshold)
