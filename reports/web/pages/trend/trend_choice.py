"""Why a trend shows these elements, if no others were chosen."""

from django.utils.translation import ngettext

from reports.formatting import small_percent
from reports.results.trend import Mover, TrendView
from reports.web.pages.locales import isolated


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
