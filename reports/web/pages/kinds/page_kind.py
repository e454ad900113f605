"""Questions of pages to a kind of use cases."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from django.utils.functional import Promise

from reports.models import Histogram, UseCase, Version
from reports.results import HistogramQuery, HistogramView, LocaleWindow
from reports.results.comparison import ComparisonView
from reports.results.trend import Series
from reports.web.pages.choices import Choice, Empty
from reports.web.pages.provenance_facts import Facts
from reports.web.pages.tables import Heading
from reports.web.pages.windows import WindowControl


class PageKind(ABC):
    """Words, choices and columns of one kind. What only one kind has, the other has none of."""

    element: Promise
    elements: Promise
    nothing_stands_out: Promise
    # For histograms: the label that leads to the newest of them.
    newest_label: Promise
    counts_dictionary: bool
    # For comparisons: whether a side's window may be chosen by its length.
    has_lengths: bool
    none_on_either_side: Promise
    # For trends and elements; the usual step is the first.
    step_labels: ClassVar[dict[int, Promise]]
    weeks_begin_on_monday: bool
    add_label: Promise
    days_title: Promise
    below_everywhere: Promise
    # For runs, subscriptions and cards: whether the stages of a run have names of their own.
    has_stages: bool
    see_results: Promise
    news_explained: Sequence[Promise]
    reports_per_window: Promise

    # --- Histogram ---

    @abstractmethod
    def window(self, view: HistogramView) -> WindowControl: ...

    @abstractmethod
    def below(self, view: HistogramView, histogram: Histogram) -> str:
        """Count what is below the threshold; where only a part is shown, it is said of what."""

    @abstractmethod
    def caption(self, view: HistogramView, histogram: Histogram, below: str) -> list[str]: ...

    @abstractmethod
    def no_rows(self, view: HistogramView, histogram: Histogram) -> Empty | None:
        """Why no row matches; None where the dictionary may have what is searched for."""

    @abstractmethod
    def none_above(self, view: HistogramView, histogram: Histogram, words: dict[str, str]) -> Empty: ...

    @abstractmethod
    def uncounted(self, *, waits: bool) -> list[str]:
        """Messages to owners about reports that wait."""

    def chosen_window_is_searched(self, query: HistogramQuery) -> bool:
        """Tell whether a run may be ordered over exactly the days that are asked for."""
        return False

    def has_consistent_values(self, use_case: UseCase) -> bool:
        return False

    def verdicts(self, query: HistogramQuery) -> list[Choice]:
        """Verdicts on words that may be asked for."""
        return []

    def facts(self, histogram: Histogram) -> Facts:
        """More about a histogram beside its title."""
        return []

    def provenance(self, histogram: Histogram) -> Facts:
        return []

    def warnings(self, histogram: Histogram) -> list[str]:
        return []

    def remarks(self, view: HistogramView) -> list[tuple[str, Choice]]:
        """Sentences with a link to what they are about."""
        return []

    def more_headings(self, view: HistogramView) -> list[Heading]:
        return []

    # --- Comparison ---

    @abstractmethod
    def tally(self, total: int) -> str: ...

    @abstractmethod
    def window_before(self, version: Version, histogram: Histogram) -> LocaleWindow | None: ...

    @abstractmethod
    def published(self, version: Version, wanted: set[LocaleWindow]) -> set[LocaleWindow]: ...

    def moved(self, view: ComparisonView, steps: int) -> list[LocaleWindow]:
        """Both windows, moved by so many times the length of the first."""
        return []

    # --- Trend ---

    @abstractmethod
    def trend_caption(self, version: Version, step: int, drawn: Sequence[Series]) -> list[str]: ...

    @abstractmethod
    def empty_trend(self, *, no_week_is_over: bool) -> Empty | None:
        """Why a trend shows nothing; None where there are too few reports."""
