"""The shape that a use case has published, as the input of an evaluation. What is below its threshold stays unknown."""

import datetime
from dataclasses import dataclass
from typing import Final

from reports.models import UseCase, Version
from reports.results import HistogramQuery, histogram_view, other_field

# Stand-in for whatever is not in a dictionary beside which that is counted.
ANYTHING_ELSE: Final = "*anything else*"


@dataclass(frozen=True)
class PublishedShape:
    """A histogram as a list of counts.

    What is shown has its estimate, or the consistent one where there is any; so has *anything else*, which counts as
    one element. The rest of the reports is spread evenly over the other elements, of which nothing is known but that
    each is below the threshold.
    """

    version: Version
    locale: str
    first_day: datetime.date
    last_day: datetime.date
    n: int
    counts: str
    elements: int
    # So many first places have all elements that the histogram shows.
    first: int

    @property
    def window(self) -> dict[str, str]:
        """The window as addresses name it."""
        days = {"from": self.first_day.isoformat(), "to": self.last_day.isoformat()}
        return {"locale": self.locale, **days, "version": str(self.version.number)}


def published_shape(use_case: UseCase, query: HistogramQuery) -> PublishedShape | None:
    """Return the published shape of a window; None if nothing is published, or no dictionary is counted.

    Raises `QueryError` for a window that cannot be understood.
    """
    view = histogram_view(use_case, query)
    histogram, version = view.histogram, view.version
    if histogram is None or version is None or histogram.revision is None:
        return None
    shown = {
        entry.element: max(0, round(entry.estimate if entry.consistent is None else entry.consistent))
        for entry in histogram.entries
    }
    others = [element for element in histogram.revision.elements() if element not in shown]
    other = other_field(histogram).get("other")
    known = shown if other is None else shown | {ANYTHING_ELSE: max(0, round(other["estimate"]))}
    left = max(0, histogram.n - sum(known.values()))
    each, more = divmod(left, len(others)) if others else (0, 0)
    counts = known | {element: each + (place < more) for place, element in enumerate(others)}
    lines = "".join(f"{element}\t{count}\n" for element, count in counts.items())
    return PublishedShape(
        version=version,
        locale=view.locale,
        first_day=histogram.first_day,
        last_day=histogram.last_day,
        n=histogram.n,
        counts=lines,
        elements=len(counts),
        first=sum(count >= min(shown.values()) for count in known.values()) if shown else 0,
    )
