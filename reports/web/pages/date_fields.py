"""The two dates of a window in a form.

They are filled with the window that is shown, so that one sees where one is, and with what somebody typed if it cannot
be used. A form sends what it was filled with along, too: dates that nobody changed are none that were asked for, and a
view of the newest days stays one when another locale is chosen.
"""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from django.http import QueryDict
from django.utils.translation import gettext as _

from reports.results import QueryError, read_iso_date

# What a field had in it is sent beside it: filled by the page, or given by its address.
_FILLED, _GIVEN = "-filled", "-given"
_ENDS = ("from", "to")


class Window(Protocol):
    """What a query says of its window."""

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
class DateFields:
    fields: list[DateField]
    # Names and values that the form sends along.
    hidden: list[tuple[str, str]] = field(default_factory=list)
    # What is wrong with the number of days, in forms that have a field for it.
    length_error: str = ""


def date_fields(
    asked: Window, first: datetime.date | None, last: datetime.date | None, prefix: str = "", *, length: bool = False
) -> DateFields:
    """Those of a window that is shown, or of the one asked for where none is.

    `prefix` is in front of the parameters' names; `length` says whether the form also has a field for the number of
    days.
    """
    fields, hidden = [], []
    for name, label, given, shown in (
        (f"{prefix}from", _("From"), asked.first, first),
        (f"{prefix}to", _("To"), asked.last, last),
    ):
        day = given or shown
        value = day.isoformat() if day is not None else ""
        fields.append(DateField(name, label, value))
        if value:
            hidden.append((f"{name}{_FILLED if given is None else _GIVEN}", value))
    if length:
        hidden.append((f"{prefix}days{_GIVEN}", str(asked.days or "")))
    return DateFields(fields, hidden)


def typed_fields(typed: QueryDict, error: QueryError, prefix: str = "", *, length: bool = False) -> DateFields:
    """What somebody typed, with what is wrong with it. `typed` is what the form asks for, `length` is as above."""
    fields = [
        DateField(name, label, typed.get(name, "")[:30], str(error) if name == error.field else "")
        for name, label in ((f"{prefix}from", _("From")), (f"{prefix}to", _("To")))
    ]
    # In place of a length, which the form remembers, another date can be chosen.
    given = [(f"{field.name}{_GIVEN}", field.value) for field in fields if field.value and length]
    return DateFields(fields, given, str(error) if error.field == f"{prefix}days" else "")


def as_typed(sent: QueryDict, *prefixes: str) -> QueryDict:
    """What a form asks for: without the dates that it was filled with, if nobody changed them."""
    found = sent.copy()
    for prefix in prefixes or ("",):
        _without_filled(found, prefix)
    return found


def _without_filled(sent: QueryDict, prefix: str) -> None:
    first, last, days = (f"{prefix}{name}" for name in (*_ENDS, "days"))
    filled, given = _taken(sent, [first, last], _FILLED), _taken(sent, [first, last], _GIVEN)
    length_before = _taken(sent, [days], _GIVEN).get(days)
    if not filled and not given and length_before is None:
        return  # an address, which means what it says
    before = filled | given
    changed = {name for name in (first, last) if sent.get(name, "") != before.get(name, "")}
    untouched = [name for name in filled if name not in changed]
    # Where the form has no field for the length, nobody can have changed it.
    listed, length = length_before is not None, sent.get(days, "")
    if length and listed and length != length_before:
        # Another length, up to the day that was asked for: where the window began until now is of no matter.
        _drop(sent, [*untouched, *({first} - changed)])
    elif not changed:
        # Whoever takes the length away keeps the dates that it meant.
        if length or not length_before:
            _drop(sent, filled)
    elif length and (changed == {last} or (listed and not sent.get(first))):
        # As many days, up to another day.
        _drop(sent, untouched)
    elif length and (listed or not sent.get(first)):
        # Chosen in place of the length that the form sends along. Forms without a field for it lead to pages that take
        # a first day in place of a length, and it is there again if that turns out to be none.
        _drop(sent, [days])
    elif first in untouched and _is_before(sent.get(last, ""), filled[first]):
        # Nobody asked for the first day, and the window cannot begin on it.
        _drop(sent, [first])


def _is_before(typed: str, filled: str) -> bool:
    day, begin = read_iso_date(typed), read_iso_date(filled)
    return day is not None and begin is not None and day < begin


def _taken(sent: QueryDict, names: list[str], suffix: str) -> dict[str, str]:
    """What was sent beside the fields of these names; it is no parameter of its own."""
    return {name: sent.pop(f"{name}{suffix}")[-1] for name in names if f"{name}{suffix}" in sent}


def _drop(sent: QueryDict, names: Iterable[str]) -> None:
    for name in list(names):
        sent.pop(name, None)


def wrong_window(error: QueryError, prefixes: Sequence[str], *, length: bool) -> str | None:
    """The prefix of the window that an error is about, if the form has a field for it; `length` as above."""
    names = (*_ENDS, "days") if length else _ENDS
    return next((prefix for prefix in prefixes if error.field in {f"{prefix}{name}" for name in names}), None)


def without_window(sent: QueryDict, error: QueryError, prefix: str) -> QueryDict:
    """The rest of what was asked for: without the dates, or without a length that is wrong by itself."""
    found = sent.copy()
    first, last, days = (f"{prefix}{name}" for name in (*_ENDS, "days"))
    _drop(found, [days] if error.field == days and not found.get(first) else [first, last])
    return found
