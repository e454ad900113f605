"""What an embedded page shows: one chart and one table, shaped alike for every page that can be embedded."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext as _

from reports.formatting import small_percents, written_day
from reports.models import Annotation
from reports.results.trend import Series
from reports.web.pages.figures import Chart
from reports.web.pages.trend.trend_words import INTERVAL, point_words

# By this parameter a link says that everybody may read what was written about its days: about its use case, or also
# about all, which is not for owners to show to strangers. The pages themselves have no parameter of that name.
ANNOTATED: Final = "annotated"
OF_USE_CASE: Final = "1"
EVERYWHERE: Final = "all"


class Embedded(NamedTuple):
    """A figure of a page without anything to choose, and the query string that shows the same when newer days come."""

    template: str
    result: object
    exactly: str
    has_chart: bool
    provenance: list[tuple[str, str]]


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
    chart: Chart | None = None
    # Of what the rows are of, where that is elements.
    language: str = ""
    direction: str = "auto"
    # Said below the table.
    notes: list[str] = field(default_factory=list)
    # What was written about its days: the day, and the text. The chart has them by their numbers.
    happened: list[tuple[str, str]] = field(default_factory=list)
    # A second figure of the same, which stands below.
    below: "Shown | None" = None


def annotations_for(parameters: QueryDict, found: Iterable[Annotation]) -> tuple[Annotation, ...]:
    """Those that a link shows: none, unless who made it has chosen that."""
    shown = parameters.get(ANNOTATED)
    return tuple(each for each in found if shown == EVERYWHERE or (shown and each.use_case_id is not None))


def what_happened(annotations: Iterable[Annotation]) -> list[tuple[str, str]]:
    return [(written_day(annotation.day), annotation.text) for annotation in annotations]


def with_interval(value: str, interval: str) -> str:
    """Both in one cell."""
    return _("%(value)s (%(interval)s)") % {"value": value, "interval": interval} if interval else value


def cells_over_days(series: Series) -> list[str]:
    """A cell for each window of a series; of a year of several there are more than a thousand."""
    written, together = small_percents(), _("%(value)s (%(interval)s)")
    found = []
    for slot, point in zip(series.slots, series.points, strict=True):
        numbers, histogram = point.numbers, slot.histogram
        if numbers is None or histogram is None:
            found.append(point_words(slot, point))
            continue
        ends = written(numbers.adjusted_lower / histogram.n), written(numbers.adjusted_upper / histogram.n)
        found.append(together % {"value": written(numbers.estimate / histogram.n), "interval": INTERVAL % ends})
    return found
