"""Trend query: one object for page, export and API, written in the URL."""

import datetime
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from reports.results.query import QueryError, date_parameter, number_parameter, written

# As many as can be told apart by colour.
MOST_ELEMENTS: Final = 6
# Days, or weeks.
STEPS: Final = (1, 7)
MOST_WINDOWS: Final = 370
MOST_DAYS: Final = 7 * MOST_WINDOWS
# So far from the ends of the calendar that one can count from there.
EARLIEST: Final = datetime.date(1990, 1, 1)
LATEST: Final = datetime.date(2999, 12, 31)
# A month of days, a quarter of weeks.
DEFAULT_DAYS: Final = {1: 28, 7: 84}
# How the page draws several elements: in one chart, or, if nothing is said, from three on each in its own.
FACETS: Final = ("off",)


@dataclass(frozen=True)
class TrendQuery:
    """Elements of one locale over days. What is None takes the default; without elements the largest are meant."""

    locale: str | None = None
    # As people write them, without what a word is filled up with.
    elements: tuple[str, ...] = ()
    first: datetime.date | None = None
    last: datetime.date | None = None
    # Up to the last day; unused if the first is given.
    days: int | None = None
    step: int | None = None
    version: int | None = None
    # One of `FACETS`; empty for what is usual.
    facets: str = ""

    def __post_init__(self) -> None:
        if len(self.elements) > MOST_ELEMENTS:
            raise QueryError(
                "element", _("A trend shows at most %(most)s elements; remove one.") % {"most": MOST_ELEMENTS}
            )
        if self.step is not None and self.step not in STEPS:
            raise QueryError("step", _("A step is one day or seven."))
        if self.facets not in ("", *FACETS):
            raise QueryError("facets", _("Choose one of: %(names)s.") % {"names": ", ".join(FACETS)})
        for field, day in (("from", self.first), ("to", self.last)):
            if day is not None and not EARLIEST <= day <= LATEST:
                raise QueryError(field, _("No reports are of such a day."))
        if self.days is not None and self.days > MOST_DAYS:
            raise QueryError("days", _("Choose fewer days."))
        if self.first is not None and self.last is not None and self.first > self.last:
            raise QueryError("to", _("The window ends before it begins."))

    @classmethod
    def from_parameters(cls, parameters: MultiValueDict[str, str]) -> "TrendQuery":
        """Read a query string. Empty values are defaults, as a form sends them. Raises `QueryError`."""
        names = ("locale", "from", "to", "days", "step", "version", "facets")
        values = {name: parameters.get(name, "") or "" for name in names}
        first, last = date_parameter(values, "from"), date_parameter(values, "to")
        days = number_parameter(values, "days")
        return cls(
            locale=values.get("locale") or None,
            # Each once, in the order in which they were asked for.
            elements=tuple(dict.fromkeys(filter(None, parameters.getlist("element")))),
            first=first,
            last=last,
            days=days if first is None else None,
            step=number_parameter(values, "step"),
            version=number_parameter(values, "version"),
            facets=values["facets"],
        )

    @property
    def has_window(self) -> bool:
        """Tell whether it asks for other days than those shown by default."""
        return self.first is not None or self.last is not None or self.days is not None

    def without(self, field: str) -> "TrendQuery":
        """Return the query with the default of one field, which has the name of its parameter."""
        name = {"element": "elements"}.get(field, field)
        default: dict[str, Any] = {name: getattr(TrendQuery(), name)}
        return replace(self, **default)

    def parameters(self) -> dict[str, list[str]]:
        """The query string's content, without defaults: the same view always has the same address."""
        found = {name: [value] for name, value in written(replace(self, elements=())).items()}
        return found | ({"element": list(self.elements)} if self.elements else {})

    def encoded(self) -> str:
        return urlencode(self.parameters(), doseq=True)

    def range(self, newest: datetime.date, step: int) -> tuple[datetime.date, datetime.date]:
        """The first and the last day that are meant, `newest` being the last that has counts. Raises `QueryError`."""
        last = self.last or (newest if self.first is None else max(newest, self.first))
        first = self.first or last - datetime.timedelta(days=(self.days or DEFAULT_DAYS[step]) - 1)
        if (last - first).days >= MOST_WINDOWS * step:
            raise QueryError(
                "from" if self.first is not None else "days",
                _("A trend has at most %(most)s points: choose fewer days, or steps of seven.")
                % {"most": MOST_WINDOWS},
            )
        return first, last
