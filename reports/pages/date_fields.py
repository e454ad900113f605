"""The two dates of a window in a form.

They are filled with the window that is shown, so that one sees where one is, and with what somebody typed if it cannot
be used. A form sends what it was filled with along, too: dates that nobody changed are none that were asked for, and a
view of the newest days stays one when another locale is chosen.
"""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from django.http import QueryDict
from django.utils.translation import gettext as _

from reports.dates import read_iso_date
from reports.results import QueryError

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


def typed_fields(sent: QueryDict, error: QueryError, prefix: str = "") -> DateFields:
    """What somebody typed, with what is wrong with it."""
    typed = as_typed(sent, prefix)
    about = {f"{prefix}days": f"{prefix}from"}.get(error.field, error.field)
    return DateFields(
        [
            DateField(name, label, typed.get(name, "")[:30], str(error) if name == about else "")
            for name, label in ((f"{prefix}from", _("From")), (f"{prefix}to", _("To")))
        ]
    )


def as_typed(sent: QueryDict, *prefixes: str) -> QueryDict:
    """What a form asks for: without the dates that it was filled with, if nobody changed them."""
    found = sent.copy()
    for prefix in prefixes or ("",):
        _without_filled(found, prefix)
    return found


def _without_filled(sent: QueryDict, prefix: str) -> None:
    names = [f"{prefix}{end}" for end in _ENDS]
    filled, given = _taken(sent, names, _FILLED), _taken(sent, names, _GIVEN)
    days = f"{prefix}days"
    length_before = _taken(sent, [days], _GIVEN).get(days)
    length = sent.get(days, "")
    if all(sent.get(name, "") == value for name, value in (filled | given).items()):
        # Whoever takes the length away keeps the dates that it meant.
        if not length_before or length:
            _drop(sent, filled)
    elif length_before is not None and length and length != length_before:
        # Another length, up to another day.
        _drop(sent, [name for name, value in filled.items() if sent.get(name) == value])
    elif filled or given:
        # Chosen in place of the length that the form sends along.
        _drop(sent, [days])


def _taken(sent: QueryDict, names: list[str], suffix: str) -> dict[str, str]:
    """What was sent beside the fields of these names; it is no parameter of its own."""
    return {name: sent.pop(f"{name}{suffix}")[-1] for name in names if f"{name}{suffix}" in sent}


def _drop(sent: QueryDict, names: Iterable[str]) -> None:
    for name in list(names):
        sent.pop(name, None)


def is_about_dates(error: QueryError, *prefixes: str) -> bool:
    return error.field in {f"{prefix}{name}" for prefix in prefixes or ("",) for name in (*_ENDS, "days")}


def without_dates(sent: QueryDict, *prefixes: str) -> QueryDict:
    """All but the windows."""
    found = as_typed(sent, *prefixes)
    for prefix in prefixes or ("",):
        _drop(found, [f"{prefix}{name}" for name in (*_ENDS, "days")])
    return found
