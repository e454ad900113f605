"""What an embedded page shows: one chart and one table, shaped alike for every page that can be embedded."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.utils.translation import gettext as _


class Line(NamedTuple):
    """A row of the table: what it is of, what that is called, and the cells behind."""

    element: str
    name: str
    cells: list[str]


@dataclass(frozen=True)
class Shown:
    """A view without anything to choose."""

    # Which part of the use case: a locale, or what is compared.
    heading: str
    facts: list[tuple[str, str]]
    caption: str
    columns: list[str]
    lines: list[Line]
    provenance: list[tuple[str, str]]
    # The query string that shows the same when newer days have come.
    exactly: str
    chart: dict[str, Any] | None = None
    chart_summary: str = ""
    # Of what the rows are of, where that is elements.
    language: str = ""
    direction: str = "auto"
    # Said below the table.
    notes: list[str] = field(default_factory=list)


def with_interval(value: str, interval: str) -> str:
    """Both in one cell."""
    return _("%(value)s (%(interval)s)") % {"value": value, "interval": interval} if interval else value
