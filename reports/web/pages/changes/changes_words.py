"""Changes in words: the finding in one sentence, and what each change is called."""

import datetime
from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reports.formatting import day_range, percent, whole
from reports.models import Version
from reports.models.uploads import utc_today
from reports.publication import Days
from reports.results import colourful, element_name
from reports.results.changes import Change, ChangeRow
from reports.results.comparison import Share
from reports.web.pages.compare import comparison_numbers
from reports.web.pages.locales import UNDIVIDED, isolated, locale_name

# A sign and a word: no change is told by its colour alone.
NAMES: dict[Change, tuple[str, Promise]] = {
    Change.UP: ("▲", gettext_lazy("up")),
    Change.DOWN: ("▼", gettext_lazy("down")),
    Change.NEW: ("✚", gettext_lazy("new")),
    Change.GONE: ("✖", gettext_lazy("gone")),
    Change.UNCERTAIN: ("○", gettext_lazy("not clear")),
}
_DAY = datetime.timedelta(days=1)


def headline(version: Version, days: Days, clear: Sequence[ChangeRow], tested: int, digits: int) -> str:
    """The largest change, and how many others are clear; or that nothing clearly changed."""
    when = when_words(days)
    if not clear:
        words = ngettext(
            "%(when)s nothing changed clearly: the one change that was tested may be chance.",
            "%(when)s nothing changed clearly: each of the %(count)s changes that were tested may be chance.",
            tested,
        )
        return words % {"when": when, "count": whole(tested)}
    others = len(clear) - 1
    if others:
        more = ngettext("%(count)s more change is clear.", "%(count)s more changes are clear.", others)
        return _("%(first)s; %(more)s") % {
            "first": first_words(version, when, clear[0], digits),
            "more": more % {"count": whole(others)},
        }
    return _("%(first)s; no other change is clear.") % {"first": first_words(version, when, clear[0], digits)}


def when_words(days: Days) -> str:
    """The newer window, at the beginning of a sentence: by its length only if it is of now."""
    length = (days[1] - days[0]).days + 1
    if days[1] < utc_today() - 3 * _DAY:
        return _("In the days %(days)s") % {"days": day_range(*days)}
    words = ngettext("On the last day", "In the last %(count)s days", length)
    return words % {"count": whole(length)}


def first_words(version: Version, when: str, change: ChangeRow, digits: int) -> str:
    words = {
        Change.UP: _("%(when)s %(element)s rose most, from %(before)s to %(now)s"),
        Change.DOWN: _("%(when)s %(element)s fell most, from %(before)s to %(now)s"),
        Change.NEW: _("%(when)s %(element)s is new, with %(now)s after %(before)s"),
        Change.GONE: _("%(when)s %(element)s is no longer above the threshold: %(now)s after %(before)s"),
    }[change.change]
    return words % {
        "when": when,
        "element": where(version, change),
        "before": share(change.row.second, digits),
        "now": share(change.row.first, digits),
    }


def where(version: Version, change: ChangeRow) -> str:
    """An element, and the locale that it is of."""
    display = isolated(colourful(change.row.display))
    name = element_name(version, change.row.display)
    element = f"{display} {name}" if name else display
    if change.locale == UNDIVIDED:
        return element
    return _("%(element)s in %(locale)s") % {"element": element, "locale": locale_name(change.locale)}


def share(found: Share, digits: int) -> str:
    if found.value is not None:
        return percent(found.value, digits)
    return comparison_numbers.at_most(found.at_most or 0.0, digits)
