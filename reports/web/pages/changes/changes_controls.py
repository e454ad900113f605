"""Controls of the pages of what changed, and of all locales at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from reports.kinds import kind_of
from reports.models import Version
from reports.publication import Days
from reports.web.pages.choices import Choice, top_choices, version_choices
from reports.web.pages.ranges import Query, range_control
from reports.web.pages.windows import WindowControl


@dataclass(frozen=True)
class Controls:
    """Everything the form shows; words are looked for in windows of their runs, and have none to choose."""

    window: WindowControl | None
    versions: list[Choice]
    tops: list[Choice]
    locales: Sequence[Choice] = ()

    @classmethod
    def of(
        cls,
        version: Version,
        query: Query,
        days: Days | None,
        tops: Sequence[int],
        top: int,
        link: Callable[[Query], str],
    ) -> Self:
        """Choices for a query that shows these days and so many rows; `link` is the address of another one."""
        window = range_control(query, days, link) if kind_of(version).has_dictionary else None
        return cls(window, version_choices(version), top_choices(tops, top))
