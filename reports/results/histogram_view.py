"""View of a query: the histogram it means, the rows of it, or the reason why there is none."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from aggregation.estimation import Remainder
from reports.models import Histogram, Run, UseCase, Version
from reports.publication import Days, NotCounted, Periods, Window
from reports.results.availability import State
from reports.results.counted import Span
from reports.results.counted_elsewhere import CountedBy
from reports.results.groupings import Grouping
from reports.results.histogram_document import histogram_document
from reports.results.histogram_rows import HistogramRow
from reports.results.not_allocated import not_allocated
from reports.results.query import HistogramQuery
from reports.results.versions import address_locale, default_version
from reports.results.word_lists import NOTHING, Tally


@dataclass(frozen=True)
class HistogramView:
    """View of a query's results. `run` is the unfinished or failed run, if that is the latest: for owners."""

    use_case: UseCase
    version: Version | None
    query: HistogramQuery
    locale: str
    state: State
    histogram: Histogram | None = None
    rows: tuple[HistogramRow, ...] = ()
    # The number of all entries, whether the query asks for them or not.
    total: int = 0
    # The number of entries that a search or a category asks for; None without either.
    matching: int | None = None
    run: Run | None = None
    # How the histogram may be grouped, and how it is.
    groupings: tuple[Grouping, ...] = ()
    grouping: Grouping | None = None
    # The tally of discovered words, shown or not.
    tally: Tally = NOTHING
    # For a dictionary: all periods, with their first and last day; the window of those that are shown; the days asked
    # for that are in none of these; and the elements that are not counted in all of them.
    span: Span | None = None
    window: Window | None = None
    periods: Periods | None = None
    left_out: tuple[Days, ...] = ()
    # Other versions that counted some of the days asked for.
    elsewhere: tuple[CountedBy, ...] = ()
    not_counted: tuple[NotCounted, ...] = ()

    @cached_property
    def default_version(self) -> Version | None:
        """The version that would be shown if the query named none."""
        return self.version if self.query.version is None else default_version(self.use_case)

    @property
    def is_other_window(self) -> bool:
        """Tell whether the days shown differ from the requested length, because no period lies inside it."""
        if self.window is None or self.span is None or self.query.days is None:
            return False
        first, _last = self.query.bounds(self.span.last)
        return first is not None and self.window.first_day < first

    def exact(self) -> HistogramQuery:
        """Exactly what is shown, said in full, so that it means the same when newer days have come."""
        histogram, version = self.histogram, self.version
        if histogram is None or version is None:
            return self.query
        return replace(
            self.query,
            locale=address_locale(version, self.locale),
            first=histogram.first_day,
            last=histogram.last_day,
            days=None,
            version=version.number,
        )

    @property
    def window_query(self) -> HistogramQuery:
        """All that is published in the window shown, said in full."""
        exact = self.exact()
        return HistogramQuery(locale=exact.locale, first=exact.first, last=exact.last, version=exact.version)

    @cached_property
    def rest(self) -> Remainder | None:
        """Everything but what is shown, where that is the largest."""
        if self.histogram is None:
            return None
        whole = not self.not_counted
        return not_allocated(self.histogram, self.rows, self.query, total=self.total, whole=whole)

    def document(self) -> dict[str, Any] | None:
        """Return the data shown, ready to be written as JSON or CSV; None if nothing is published."""
        if self.histogram is None:
            return None
        entries = [row.entry for row in self.rows]
        return histogram_document(self.histogram, entries, self.rest, self.not_counted, self.query.values)
