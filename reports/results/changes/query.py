"""Query for what changed: a window against the one before, written in the URL."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import urlencode

from reports.results.query import USUAL_DAYS, HistogramQuery, written


@dataclass(frozen=True)
class ChangesQuery:
    """The newer of the two windows, which are equally long. What is None takes the default."""

    first: datetime.date | None = None
    last: datetime.date | None = None
    # The length, in place of the first day.
    days: int | None = None
    locale: str | None = None
    version: int | None = None
    # How many rows to show, the clear ones first.
    top: int | None = None

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str]) -> "ChangesQuery":
        """Read a query string. Empty values are defaults, as a form sends them. Raises `QueryError`."""
        known = ("from", "to", "days", "locale", "version", "top")
        asked = HistogramQuery.from_parameters({name: parameters.get(name, "") for name in known})
        return cls(asked.first, asked.last, asked.days, asked.locale, asked.version, asked.top)

    @property
    def length(self) -> int | None:
        """The number of days that is asked for or assumed; None where the first day is given."""
        return self.days or (USUAL_DAYS if self.first is None else None)

    @property
    def has_window(self) -> bool:
        return self.first is not None or self.last is not None or self.days is not None

    def bounds(self, newest: datetime.date | None) -> tuple[datetime.date, datetime.date] | None:
        """Return the first and the last day of the newer window, given the newest day there is; None without any."""
        first, last = HistogramQuery(first=self.first, last=self.last, days=self.length).bounds(newest)
        last = last or newest
        return (first, last) if first is not None and last is not None and first <= last else None

    def without(self, name: str) -> Self:
        """Return the query with the default of one field, given by its name in the URL."""
        default: dict[str, Any] = {{"from": "first", "to": "last"}.get(name, name): None}
        return replace(self, **default)

    def parameters(self) -> dict[str, str]:
        """The query string's content, without defaults: the same view always has the same address."""
        return {name: value for name, value in written(self).items() if (name, value) != ("days", str(USUAL_DAYS))}

    def encoded(self) -> str:
        return urlencode(self.parameters())
