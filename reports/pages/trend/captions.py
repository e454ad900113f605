"""How a chart over days is to be read: the same on its page, in pictures and where it is embedded."""

from collections.abc import Sequence
from itertools import groupby

from django.utils.translation import gettext as _

from reports.models import Version
from reports.numbers import day_range, whole
from reports.pages.trend.chart import axis
from reports.pages.trend.words import slot_words
from reports.results.trend.points import Series
from reports.results.trend.windows import SlotState


def caption(version: Version, step: int, drawn: Sequence[Series]) -> str:
    """Of the lines that are drawn, in steps of one day or of seven."""
    if version.discovery is not None:
        return _of_words()
    words = _(
        "Estimated share of reports, not of people. Bands are 95 %% intervals of each window by itself, adjusted, as in"
        " its histogram, for showing only the largest: over many windows, a few bands miss the true share by chance."
        " Open triangles: below the threshold T of that window, at most so much (with 95 %% confidence), and no value."
        " Grey windows show nothing, because they have fewer than %(minimum)s reports, would single out fewer, or wait"
        " to be counted; days without reports are gaps."
    )
    found = [words % {"minimum": whole(version.use_case.minimum_reports)}]
    if step == 7:
        found.append(
            _(
                "Weeks that lack days are grey, too, though they have values: they are about fewer days than the"
                " others. The week that goes on is shown when it is over."
            )
        )
    return " ".join(found + _not_published(drawn))


def _of_words() -> str:
    words = _(
        "Estimated share of reports, not of people. Each point is a list of words that a run published, at its last"
        " day; lists of several days overlap. Bands are 95 %% intervals of each list by itself, adjusted as the list"
        " is. A word that is not in a list has no value there: it is below the threshold T, or its parts did not stand"
        " out."
    )
    return words % {}


def _not_published(drawn: Sequence[Series]) -> list[str]:
    """Which of the grey windows the next view of the page may show; those side by side as one."""
    found: list[str] = []
    if not any(slot.state == SlotState.NOT_PUBLISHED for each in drawn for slot in each.slots):
        return found
    for state, group in groupby(axis(drawn), key=lambda slot: slot.state):
        if state == SlotState.NOT_PUBLISHED:
            run = list(group)
            days = day_range(run[0].first, run[-1].last)
            found.append(_("%(name)s: %(value)s") % {"name": days, "value": f"{slot_words(run[0])}."})
    return found
