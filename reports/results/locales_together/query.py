"""Query for all locales at once: one window, and how many elements of each locale, written in the URL."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reports.results.changes import ChangesQuery

# Elements of each locale.
USUAL_TOP: Final = 5


@dataclass(frozen=True)
class LocalesQuery(ChangesQuery):
    """A window that is meant as that of what changed is. `top` is how many elements of each locale to show."""

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str]) -> "LocalesQuery":
        """Read a query string. Empty values are defaults, as a form sends them. Raises `QueryError`."""
        names = ("from", "to", "days", "version", "top")
        asked = ChangesQuery.from_parameters({name: parameters.get(name, "") for name in names})
        return cls(first=asked.first, last=asked.last, days=asked.days, version=asked.version, top=asked.top)

    def parameters(self) -> dict[str, str]:
        return {name: value for name, value in super().parameters().items() if (name, value) != ("top", str(USUAL_TOP))}
