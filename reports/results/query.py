"""Histogram query: one object for page, export, API and command, written in the URL."""

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from reports.models import WordDecision
from reports.results.groupings import GROUPINGS

# `fromisoformat` would also take 20261121 and 2026-W47-6, and one view would have several addresses.
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"[1-9][0-9]{0,5}")
# Parameters that are not called like the fields.
_NAMES = {"first": "from", "last": "to", "search": "q"}
# How rows may be ordered, either way round. Which rows there are does not depend on it.
HISTOGRAM_SORTS = ("rank", "-rank", "name", "-name", "first-seen", "-first-seen")
# Verdicts on discovered words that a query may ask for, or the new ones. Without a choice all but those that were
# rejected. Kinds are of accepted words.
WORDS = ("all", "new", "undecided", "accepted", "rejected", "truncated", "foreign", *WordDecision.Kind.values)
# Beside the raw estimates those made consistent with each other; beside shares counts; beside a linear axis this one.
VALUES = ("consistent",)
UNITS = ("count",)
SCALES = ("log",)
# A window that is given by its length: the longest, and the one that pages open with.
MOST_DAYS = 3660
USUAL_DAYS = 7


class QueryError(ValueError):
    """A parameter that cannot be understood; `field` names it."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(detail)
        self.field = field


class NotInVersion(QueryError):
    """A parameter that means something, but not in the version that is shown."""


@dataclass(frozen=True)
class HistogramQuery:
    """A histogram and the part of it to show. What is None takes the default."""

    locale: str | None = None
    first: datetime.date | None = None
    last: datetime.date | None = None
    # The length of the window, which ends on `last`, or on the newest day with counts; in place of `first`.
    days: int | None = None
    version: int | None = None
    top: int | None = None
    search: str = ""
    sort: str = "rank"
    # The name of a grouping; empty for elements.
    group: str = ""
    # Only what is in this category.
    category: str = ""
    # One of `WORDS`; empty for all discovered words but the rejected.
    words: str = ""
    # One of `VALUES`; empty for raw estimates.
    values: str = ""
    # How a chart is drawn, one of `UNITS` and one of `SCALES`; empty for shares on a linear axis.
    unit: str = ""
    scale: str = ""

    def __post_init__(self) -> None:
        if self.group and self.group not in GROUPINGS:
            raise QueryError("group", _("Group by one of: %(names)s.") % {"names": ", ".join(GROUPINGS)})
        for field, known in (("words", WORDS), ("values", VALUES), ("unit", UNITS), ("scale", SCALES)):
            if getattr(self, field) not in ("", *known):
                raise QueryError(field, _("Choose one of: %(names)s.") % {"names": ", ".join(known)})
        if self.days is not None and not 1 <= self.days <= MOST_DAYS:
            raise QueryError("days", _("A window has from 1 to %(most)s days.") % {"most": MOST_DAYS})
        if self.days is not None and self.first is not None:
            raise QueryError("days", _("Give either the first day of the window or its number of days, not both."))
        if self.first is not None and self.last is not None and self.first > self.last:
            raise QueryError("to", _("The window ends before it begins."))

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str]) -> "HistogramQuery":
        """Read a query string. Empty values are defaults, as a form sends them. Raises `QueryError`."""
        first, last = date_parameter(parameters, "from"), date_parameter(parameters, "to")
        sort = parameters.get("sort") or "rank"
        if sort not in HISTOGRAM_SORTS:
            raise QueryError("sort", _("Sort by one of: %(sorts)s.") % {"sorts": ", ".join(HISTOGRAM_SORTS)})
        return cls(
            locale=parameters.get("locale") or None,
            first=first,
            last=last,
            days=number_parameter(parameters, "days"),
            version=number_parameter(parameters, "version"),
            top=number_parameter(parameters, "top"),
            search=parameters.get("q", "").strip()[:100],
            sort=sort,
            **{name: parameters.get(name, "") for name in ("group", "category", "words", "values", "unit", "scale")},
        )

    def without(self, field: str) -> "HistogramQuery":
        """Return the query with the default of one field."""
        default: dict[str, Any] = {field: getattr(HistogramQuery(), field)}
        return replace(self, **default)

    def parameters(self) -> dict[str, str]:
        """The query string's content, without defaults: the same view always has the same address."""
        return written(self)

    @property
    def has_window(self) -> bool:
        """Tell whether it asks for other days than those shown by default."""
        return self.first is not None or self.last is not None or self.days is not None

    @property
    def is_narrow(self) -> bool:
        """Tell whether it asks for a part of what is above the threshold, by name or by category."""
        return bool(self.search or self.category)

    def bounds(self, newest: datetime.date | None) -> tuple[datetime.date | None, datetime.date | None]:
        """First and last day of the window, given the newest day there is. An end that is None is open."""
        last = self.last or newest
        if self.days is None or last is None:
            return self.first, self.last
        return datetime.date.fromordinal(max(last.toordinal() - self.days + 1, 1)), last

    @property
    def is_about_words(self) -> bool:
        """Tell whether it asks for what only discovered words have."""
        return bool(self.words) or self.sort.endswith("first-seen")

    def encoded(self) -> str:
        return urlencode(self.parameters())


def written(query: Any) -> dict[str, str]:
    """Return the parameters of a query, a dataclass, but for those that are at their default."""
    values = {field.name: getattr(query, field.name) for field in fields(query)}
    defaults = {field.name: field.default for field in fields(query)}
    return {_NAMES.get(name, name): str(value) for name, value in values.items() if value and value != defaults[name]}


def refuse_days_of_words(query: HistogramQuery, prefix: str = "") -> None:
    """Raise `NotInVersion` for the length of a window in which words would be looked for."""
    if query.days is not None:
        raise NotInVersion(f"{prefix}days", _("This version looks for words: its windows are those of its runs."))


def read_iso_date(text: str) -> datetime.date | None:
    """Return the date that a text writes as year-month-day; None if it does not."""
    try:
        return datetime.date.fromisoformat(text) if _ISO_DATE.fullmatch(text) else None
    except ValueError:
        return None


def date_parameter(parameters: Mapping[str, str], name: str) -> datetime.date | None:
    """A date of the query string. Raises `QueryError`."""
    value = parameters.get(name)
    if not value:
        return None
    found = read_iso_date(value)
    if found is None:
        raise QueryError(name, _("Write the date as year-month-day, such as 2026-03-31."))
    return found


def number_parameter(parameters: Mapping[str, str], name: str) -> int | None:
    """A number of the query string. Raises `QueryError`."""
    value = parameters.get(name)
    if not value:
        return None
    if not _NUMBER.fullmatch(value):
        raise QueryError(name, _("This must be a whole number from 1 to 999999."))
    return int(value)
