"""Why a trend shows nothing, or not everything, and what one can do about it."""

from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.models import Version
from reports.numbers import small_percent, whole
from reports.pages.locales import isolated
from reports.results import HistogramQuery, State
from reports.results.counted import state_without_counts
from reports.results.discovered import state_without_words
from reports.results.trend.mover import Mover
from reports.results.trend.view import TrendView
from reports.results.trend.windows import SlotState


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
    chosen_window = (view.query.first, view.query.last, view.query.days) != (None, None, None)
    # Of words only a run that is not finished makes a difference.
    state = _state(view, view.version) if view.run is not None or view.version.discovery is None else State.NO_DATA
    if view.run is not None and state == State.FAILED:
        return Nothing(_("The run failed"), view.run.failure_in_words)
    if view.run is not None and state == State.WAITING:
        return Nothing(_("The reports are being counted"), _("The trend appears here when the run is finished."))
    if view.version.discovery is not None:
        return Nothing(
            _("No list of words ends in these days"),
            _("Words appear here once a run has looked for them in days that end in this window."),
            chosen_window,
        )
    if view.first is not None:
        return _of_windows(view, chosen_window)
    if state == State.WAITING:
        return _not_counted(chosen_window)
    if chosen_window:
        return _other_days()
    return Nothing(_("No reports yet"), _("Come back when devices have reported and a run has counted."))


def _state(view: TrendView, version: Version) -> State:
    """As the other pages say it of these days; of words, of those that the latest run was about."""
    if version.discovery is not None:
        return state_without_words(version, view.locale, view.run, HistogramQuery())
    asked = HistogramQuery(first=view.query.first, last=view.query.last, days=view.query.days)
    first, last = (view.first, view.last) if view.first is not None else asked.bounds(None)
    window = HistogramQuery(first=first, last=last)
    return state_without_counts(version, view.locale, view.run, window)


def _of_windows(view: TrendView, chosen_window: bool) -> Nothing:
    """Some days of the locale are counted, but not one of these windows shows something."""
    states = {slot.state for slot in view.slots}
    if SlotState.WAITING in states:
        return _not_counted(chosen_window)
    if SlotState.BELOW_MINIMUM in states:
        return Nothing(
            _("Too few reports to show"),
            _(
                "A window is shown from %(minimum)s reports on, and only if nobody could learn about fewer by"
                " subtracting windows that are shown already. Choose longer windows, or wait for more reports."
            )
            % {"minimum": whole(view.use_case.minimum_reports)},
            chosen_window,
        )
    if SlotState.NOT_PUBLISHED in states:
        return Nothing(_("The windows are being published"), _("This takes a few seconds. Load the page again."))
    if not view.slots or SlotState.NOT_OVER in states:
        return Nothing(_("No week is over yet"), _("Choose steps of one day, or more days."), chosen_window)
    return _other_days()


def _other_days() -> Nothing:
    return Nothing(_("No reports in this window"), _("Other days may have some."), True)


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


def _not_counted(is_about_window: bool) -> Nothing:
    return Nothing(
        _("Reports have arrived, but have not been counted"),
        _("The trend appears here when a run has counted them; the owners of this use case can start one."),
        is_about_window,
    )


def notices(view: TrendView) -> list[str]:
    """What a reader of the chart must know about its windows."""
    found = []
    missing = sum(slot.state == SlotState.NOT_PUBLISHED for slot in view.slots)
    if missing:
        found.append(
            ngettext(
                "%(count)s window is not published yet. Load the page again: each time, it publishes a few more.",
                "%(count)s windows are not published yet. Load the page again: each time, it publishes a few more.",
                missing,
            )
            % {"count": missing}
        )
    for slot, number in view.revisions:
        words = _("From %(day)s on dictionary revision %(number)s was counted.")
        found.append(words % {"day": date_format(slot.first), "number": number})
    if not view.series:
        found.append(_("Nothing is above the threshold in the newest window. Add an element by its name to see more."))
    return found
