"""The shape that a use case has published, as the input of an evaluation. What is below its threshold stays unknown."""

from dataclasses import dataclass

from reports.models import UseCase, Version
from reports.results import HistogramQuery, histogram_view


@dataclass(frozen=True)
class PublishedShape:
    """The newest histogram of a locale as a list of counts.

    What is shown has its estimate, or the consistent one where there is any; the rest of the reports is spread evenly
    over the other elements, of which nothing is known but that each is below the threshold.
    """

    version: Version
    locale: str
    n: int
    counts: str
    elements: int


def published_shape(use_case: UseCase, locale: str) -> PublishedShape | None:
    """Return the newest published shape of a use case; None if nothing is published, or no dictionary is counted."""
    view = histogram_view(use_case, HistogramQuery(locale=locale or None))
    histogram, version = view.histogram, view.version
    if histogram is None or version is None or histogram.revision is None:
        return None
    shown = {
        entry.element: max(0, round(entry.estimate if entry.consistent is None else entry.consistent))
        for entry in histogram.entries.all()
    }
    others = [element for element in histogram.revision.elements() if element not in shown]
    left = max(0, histogram.n - sum(shown.values()))
    each, more = divmod(left, len(others)) if others else (0, 0)
    counts = shown | {element: each + (place < more) for place, element in enumerate(others)}
    lines = "".join(f"{element}\t{count}\n" for element, count in counts.items())
    return PublishedShape(version, view.locale, histogram.n, lines, len(counts))
