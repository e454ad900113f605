"""Why a trend shows nothing, or not everything, and what one can do about it."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import small_percent, whole
from reports.results.trend import Mover, SlotState, TrendView
from reports.web.pages.locales import isolated


@dataclass(frozen=True)
class Nothing:
    """In place of the trend."""

    title: str
    words: str
    # Whether other days may show something.
    is_about_window: bool = False


def nothing_to_show(view: TrendView) -> Nothing:
    if view.version is None:
        words = _("The use case has no active version, so devices send nothing for it.")
        return Nothing(_("No reports yet"), words)
    chosen_window = view.query.has_window
    if view.version.discovery is not None:
        return Nothing(
            _("No list of words ends in these days"),
            _("Words appear here once a run has looked for them in days that end in this window."),
            chosen_window,
        )
    if view.slots and all(slot.state == SlotState.NOT_OVER for slot in view.slots):
        return Nothing(_("No week is over yet"), _("Choose steps of one day, or more days."), chosen_window)
    words = _("Results appear for days that together have at least %(minimum)s reports.")
    said = words % {"minimum": whole(view.use_case.minimum_reports)}
    if chosen_window or view.slots:
        said = f"{said} {_('Choose a longer window, or wait for more reports.')}"
    return Nothing(_("Too few reports yet, or none"), said, chosen_window)


def why_these(view: TrendView) -> str:
    """Which elements are shown if nobody chose any; empty if somebody did."""
    if view.query.elements or not view.series:
        return ""
    largest = len(view.series) - (view.mover is not None)
    words = ngettext(
        "Nobody chose what to show, so here is the one that is largest in the newest window.",
        "Nobody chose what to show, so here are the %(count)s that are largest in the newest window.",
        largest,
    )
    said = words % {"count": largest}
    return f"{said} {_about_mover(view.mover)}" if view.mover is not None else said


def _about_mover(mover: Mover) -> str:
    words = ngettext(
        "%(element)s was added because of all others it changed most from the first window shown to the last: from"
        " %(before)s to %(after)s. It is above the threshold T in both, and noise alone would hardly explain the"
        " change.",
        "%(element)s was added because of all others it changed most from the first %(windows)s windows shown to the"
        " last %(windows)s: on average from %(before)s to %(after)s. It is above the threshold T in all of them, and"
        " noise alone would hardly explain the change.",
        mover.windows,
    )
    return words % {
        "element": isolated(mover.element.name or mover.element.display),
        "before": small_percent(mover.before),
        "after": small_percent(mover.after),
        "windows": mover.windows,
    }
