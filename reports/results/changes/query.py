"""Query for what changed: a window against the one before, written in the URL."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from reports.results.query import HistogramQuery, written

# Of the newest window, and of the one before.
USUAL_DAYS: Final = 7


@dataclass(frozen=True)
class ChangesQuery:
    """The length of both windows, and the last day of the newer one. What is None takes the default."""

    days: int | None = None
    last: datetime.date | None = None
    locale: str | None = None
    version: int | None = None
    # How many rows to show, the clear ones first.
    top: int | None = None

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str]) -> "ChangesQuery":
        """Read a query string. Empty values are defaults, as a form sends them. Raises `QueryError`."""
        known = {name: parameters.get(name, "") for name in ("days", "to", "locale", "version", "top")}
        asked = HistogramQuery.from_parameters(known)
        return cls(days=asked.days, last=asked.last, locale=asked.locale, version=asked.version, top=asked.top)

    @property
    def length(self) -> int:
        return self.days or USUAL_DAYS

    def parameters(self) -> dict[str, str]:
        """The query string's content, without defaults: the same view always has the same address."""
        return {name: value for name, value in written(self).items() if (name, value) != ("days", str(USUAL_DAYS))}

    def encoded(self) -> str:
        return urlencode(self.parameters())
