"""Query for all locales at once: one window, and how many elements of each locale, written in the URL."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reports.results.changes import ChangesQuery
from reports.results.query import HistogramQuery

# Elements of each locale.
USUAL_TOP: Final = 5


@dataclass(frozen=True)
class LocalesQuery(ChangesQuery):
    """A window that is meant as that of what changed is. `top` is how many elements of each locale to show.

    With a locale only what is in the top of that.
    """

    search: str = ""
    # "name" or a locale, the largest of which come first; with a minus the other way round.
    sort: str | None = None

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str]) -> "LocalesQuery":
        """Read a query string. Empty values are defaults, as a form sends them. Raises `QueryError`."""
        names = ("from", "to", "days", "locale", "version", "top", "q")
        asked = HistogramQuery.from_parameters({name: parameters.get(name, "") for name in names})
        window = asked.first, asked.last, asked.days
        return cls(*window, asked.locale, asked.version, asked.top, asked.search, parameters.get("sort") or None)

    def parameters(self) -> dict[str, str]:
        return {name: value for name, value in super().parameters().items() if (name, value) != ("top", str(USUAL_TOP))}
