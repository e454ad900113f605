"""The window of a form: ranges that are relative to the newest day, two dates folded beside them, and its neighbours.

A range is sent as the option of a list, and stays relative in the address; dates are sent in fields that are empty
while a range is shown. A form sends along which option it was shown with, so that a range chosen in place of dates
can be told from dates typed in place of a range, without a script.
"""

import datetime
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import day_range, whole, written_day
from reports.models.uploads import utc_today
from reports.results import QueryError, read_iso_date
from reports.web.pages.choices import Choice, Neighbour

_DAY: Final = datetime.timedelta(days=1)
# The option of a window that is no range, sent by a form that shows one.
_DATES: Final = "dates"
# An option that stands for two dates.
_FROM_TO: Final = re.compile(r"([0-9-]{10})\.\.([0-9-]{10})")


class Window(Protocol):
    """A query's window."""

    @property
    def first(self) -> datetime.date | None: ...

    @property
    def last(self) -> datetime.date | None: ...

    @property
    def days(self) -> int | None: ...


@dataclass(frozen=True)
class DateField:
    name: str
    label: str
    value: str
    error: str = ""

    @property
    def kind(self) -> str:
        """A field for dates alone would not show what is none."""
        return "date" if not self.value or read_iso_date(self.value) is not None else "text"


@dataclass(frozen=True)
class WindowControl:
    """A window in a form; the names of its parameters begin with `prefix`.

    `error` says what is wrong with a length, which only an address can have.
    """

    choices: Sequence[Choice]
    fields: Sequence[DateField]
    prefix: str = ""
    earlier: Neighbour | None = None
    later: Neighbour | None = None
    error: str = ""

    @property
    def current(self) -> str:
        """Return the value of the option that is shown."""
        return next((choice.value for choice in self.choices if choice.current), "")

    @property
    def is_open(self) -> bool:
        """Tell whether the dates have to be seen."""
        return any(field.error for field in self.fields)


def window_control(
    asked: Window,
    ranges: Iterable[Choice],
    shown: tuple[datetime.date | None, datetime.date | None],
    prefix: str = "",
    *,
    earlier: Neighbour | None = None,
    later: Neighbour | None = None,
) -> WindowControl:
    """The ranges, and the dates that are shown where none of these is current.

    `shown` are the first and the last day that are shown, or asked for where nothing is.
    """
    choices = list(ranges)
    days: tuple[datetime.date | None, datetime.date | None] = (None, None)
    if not any(choice.current for choice in choices):
        first, last = days = (asked.first or shown[0], asked.last or shown[1])
        words = day_range(first, last) if first is not None and last is not None and first <= last else _("Dates")
        choices.insert(0, Choice(_DATES, words, current=True))
    return WindowControl(
        choices, _fields(prefix, [day.isoformat() if day else "" for day in days]), prefix, earlier, later
    )


def _fields(prefix: str, values: Sequence[str], error: QueryError | None = None) -> list[DateField]:
    found = []
    for name, label, value in zip((f"{prefix}from", f"{prefix}to"), (_("From"), _("To")), values, strict=True):
        found.append(DateField(name, label, value, str(error) if error is not None and error.field == name else ""))
    return found


def relative(days: int, newest: datetime.date | None) -> str:
    """The newest so many days, in words; with the day they end on, if that is not yesterday."""
    words = _("Last day") if days == 1 else ngettext("Last %(days)s day", "Last %(days)s days", days)
    return _up_to(words % {"days": whole(days)}, newest)


def relative_weeks(weeks: int, newest: datetime.date | None) -> str:
    words = ngettext("Last week", "Last %(weeks)s weeks", weeks) % {"weeks": whole(weeks)}
    return _up_to(words, newest)


def _up_to(words: str, newest: datetime.date | None) -> str:
    if newest is None or newest >= utc_today() - _DAY:
        return words
    return _("%(window)s, to %(day)s") % {"window": words, "day": written_day(newest)}


def from_to(first: datetime.date, last: datetime.date) -> str:
    """The option that stands for two dates."""
    return f"{first.isoformat()}..{last.isoformat()}"


# --- What a form sends ---


def as_sent(sent: QueryDict, *prefixes: str) -> QueryDict:
    """Query of a form, in the parameters of an address; of an address exactly what it says."""
    found = sent.copy()
    for prefix in prefixes or ("",):
        _read_window(found, prefix)
    return found


def _read_window(sent: QueryDict, prefix: str) -> None:
    first, last, days = (f"{prefix}{name}" for name in ("from", "to", "days"))
    option, before = (_taken(sent, f"{prefix}{name}") for name in ("window", "window-shown"))
    if option is None:
        return
    sent.pop(days, None)
    if option == before and sent.get(last) and not sent.get(first) and option.isdecimal():
        sent[days] = option  # as many days, up to another
    elif option != _DATES and (option != before or not (sent.get(first) or sent.get(last))):
        sent.pop(first, None)
        sent.pop(last, None)
        dates = _FROM_TO.fullmatch(option)
        if dates:
            sent[first], sent[last] = dates.groups()
        elif option:
            sent[days] = option


def _taken(sent: QueryDict, name: str) -> str | None:
    return sent.pop(name)[-1] if name in sent else None


# --- What cannot be used ---


def wrong_window(error: QueryError, prefixes: Sequence[str]) -> str | None:
    """The prefix of the window that an error is about, if it is about one."""
    return next((prefix for prefix in prefixes if error.field in _names(prefix)), None)


def without_window(sent: QueryDict, prefix: str) -> QueryDict:
    """The rest of what was asked for."""
    found = sent.copy()
    for name in _names(prefix):
        found.pop(name, None)
    return found


def with_typed(control: WindowControl, typed: QueryDict, error: QueryError) -> WindowControl:
    """The control with the dates that were typed, and what is wrong with them."""
    values = [typed.get(f"{control.prefix}{name}", "")[:30] for name in ("from", "to")]
    wrong = str(error) if error.field == f"{control.prefix}days" else ""
    return replace(control, fields=_fields(control.prefix, values, error), error=wrong)


def _names(prefix: str) -> tuple[str, str, str]:
    return f"{prefix}from", f"{prefix}to", f"{prefix}days"
