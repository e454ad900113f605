"""Windows, and elements in them, in words."""

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import day_ranges, small_percent
from reports.results.trend import Point, PointState, Slot, SlotState
from reports.web.pages.version_words import version_words

# Its two ends.
INTERVAL = "%s\u00a0– %s"


def slot_words(slot: Slot) -> str:
    """Why a window shows nothing."""
    if slot.state == SlotState.NOT_OVER:
        return _("not over yet, or not counted to its end")
    if slot.state == SlotState.OTHER_VERSION:
        return _("counted by %(version)s") % {"version": version_words(slot.version)}
    return _("too few reports yet, or none")


def missing_words(slot: Slot) -> str:
    """The part of a week that is missing from it; empty if that is none."""
    if slot.is_whole:
        return ""
    words = ngettext(
        "%(count)s of 7 days is left out: too few reports, or none",
        "%(count)s of 7 days are left out: too few reports, or none",
        slot.missing - slot.elsewhere,
    )
    theirs = ngettext(
        "%(count)s of 7 days is counted by another version",
        "%(count)s of 7 days are counted by another version",
        slot.elsewhere,
    )
    counts = {theirs: slot.elsewhere, words: slot.missing - slot.elsewhere}
    return "; ".join(said % {"count": count} for said, count in counts.items() if count)


def windows_words(slots: Iterable[Slot], *, versions: bool) -> list[str]:
    """Days of each window, what they lack, and of several versions which one counted them."""
    written = day_ranges()
    words = _("%(window)s, version %(number)s")
    found = []
    for slot in slots:
        said = written(slot.first, slot.last)
        if slot.left_out:
            said = with_missing(slot, said)
        found.append(words % {"window": said, "number": slot.version.number} if versions else said)
    return found


def share(slot: Slot, reports: float) -> str:
    """So many of the reports of a window."""
    return small_percent(reports / slot.histogram.n) if slot.histogram is not None else ""


def interval(slot: Slot, point: Point) -> str:
    """That of what is above its threshold, as the window's histogram has it."""
    if point.numbers is None:
        return ""
    return INTERVAL % (share(slot, point.numbers.adjusted_lower), share(slot, point.numbers.adjusted_upper))


def with_missing(slot: Slot, words: str) -> str:
    """A week in words, with what it lacks."""
    missing = missing_words(slot)
    return _("%(window)s, %(missing)s") % {"window": words, "missing": missing} if missing else words


def bound_words() -> str:
    """With a place for the largest share that it can be."""
    return _("below T, at most %(share)s")


def point_words(slot: Slot, point: Point) -> str:
    """The share, or why there is none."""
    if point.numbers is not None:
        return share(slot, point.numbers.estimate)
    if point.at_most is not None:
        return bound_words() % {"share": share(slot, point.at_most)}
    if point.state == PointState.NOT_COUNTED:
        return _("not counted")
    if point.state == PointState.NOT_FOUND:
        return _("not in the list")
    return slot_words(slot)
