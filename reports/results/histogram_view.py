"""Answering a query: the histogram it means, the rows of it, or the reason why there is none."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from aggregation.mechanisms import SequenceFragmentPuzzle
from reports.models import DictionaryEntry, Histogram, Run, UseCase, Version
from reports.publication import Days, NotCounted, Window, not_counted_in, periods_of
from reports.results.availability import State
from reports.results.counted import Span, asked_window, left_out, span_of_periods
from reports.results.discovered import discovered_histogram, state_without_words
from reports.results.groupings import Grouping, groupings
from reports.results.histogram_document import histogram_document, words_document
from reports.results.histogram_rows import HistogramRow, rows_of
from reports.results.histograms import histogram_of
from reports.results.query import HistogramQuery, NotInVersion, QueryError
from reports.results.versions import address_locale, asked_version, default_version, known_versions, refuse_locale
from reports.results.word_lists import NOTHING, Tally, Words


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
    # Of all entries, whether the query asks for them or not.
    total: int = 0
    # Of those the number that a search or a category asks for; None without either.
    matching: int | None = None
    run: Run | None = None
    # How the histogram may be grouped, and how it is.
    groupings: tuple[Grouping, ...] = ()
    grouping: Grouping | None = None
    # Of discovered words, shown or not.
    tally: Tally = NOTHING
    # Of a dictionary: the first and last day of all periods; those that are shown; the days asked for that are in none
    # of them; and the elements that are not counted in all of them.
    span: Span | None = None
    window: Window | None = None
    left_out: tuple[Days, ...] = ()
    not_counted: tuple[NotCounted, ...] = ()

    @property
    def discovery(self) -> SequenceFragmentPuzzle | None:
        """The mechanism, if words are looked for and no dictionary is counted."""
        return self.version.discovery if self.version is not None else None

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

    def document(self) -> dict[str, Any] | None:
        """Return the data shown, ready to be written as JSON or CSV; None if nothing is published."""
        if self.histogram is None:
            return None
        if self.discovery is None:
            return histogram_document(
                self.histogram, [row.entry for row in self.rows], self.not_counted, self.query.values
            )
        words = [(row.entry, row.word) for row in self.rows if row.word is not None]
        return words_document(self.histogram, words, self.query)


def histogram_view(use_case: UseCase, query: HistogramQuery, *, results: bool = True) -> HistogramView:
    """Find what a query means; without `results` only what there is to choose from, of which nothing is computed.

    Raises `NotInVersion` for what this version does not have, and `QueryError` for what no version has.
    """
    version = asked_version(use_case, query.version)
    if version is None:
        return HistogramView(use_case, None, query, "", State.NOT_YET)
    version.use_case = use_case
    locale = query.locale or version.locales[0]
    if locale not in version.locales:
        refuse_locale(use_case, locale)
    run = version.runs.select_related("version").first()
    if run is not None and run.state == Run.State.FINISHED:
        run = None  # what it found is there, and it will find no more
    if version.discovery is not None:
        return _words_view(use_case, version, version.discovery, query, locale, run, results=results)
    return _dictionary_view(use_case, version, query, locale, run, results=results)


def _dictionary_view(
    use_case: UseCase, version: Version, query: HistogramQuery, locale: str, run: Run | None, *, results: bool
) -> HistogramView:
    """Return the view of a version that counts a dictionary."""
    _refuse_what_needs_words(query)
    _refuse_what_needs_all_elements(use_case, query)
    periods = periods_of(version, [locale])[locale]
    revision = version.current_dictionary()
    if revision is not None:
        revision.version = version
    available = tuple(groupings(revision)) if revision is not None else ()
    grouping = _grouping(available, query)
    span = span_of_periods(periods)
    view = HistogramView(
        use_case, version, query, locale, State.NOT_YET, run=run, groupings=available, grouping=grouping, span=span
    )
    window = asked_window(periods, query) if results else None
    if window is None or revision is None or not revision.size:
        return view
    histogram = histogram_of(window, revision, grouping)
    not_counted = tuple(not_counted_in(window, periods, revision))
    if query.values and not_counted:
        raise NotInVersion(
            "values", _("Some elements are not counted in all of this window, so its estimates stay as they are.")
        )
    rows, matching = rows_of(version, histogram, query)
    _check_category(use_case, histogram, query, rows)
    total = histogram.entries.count()
    return replace(
        view,
        state=State.SHOWN if total else State.NONE_ABOVE,
        histogram=histogram,
        rows=rows,
        total=total,
        matching=matching,
        window=window,
        left_out=tuple(left_out(periods, window, query)),
        not_counted=not_counted,
    )


def _refuse_what_needs_words(query: HistogramQuery) -> None:
    if query.is_about_words:
        field = "words" if query.words else "sort"
        raise NotInVersion(field, _("This version counts a dictionary and looks for no words."))


def _refuse_what_needs_all_elements(use_case: UseCase, query: HistogramQuery) -> None:
    if query.values and not use_case.dictionary_complete:
        raise NotInVersion(
            "values", _("Only where the dictionary holds every possible element can estimates be made consistent.")
        )


def _words_view(
    use_case: UseCase,
    version: Version,
    discovery: SequenceFragmentPuzzle,
    query: HistogramQuery,
    locale: str,
    run: Run | None,
    *,
    results: bool,
) -> HistogramView:
    """The same for a version that looks for words."""
    _refuse_what_needs_a_dictionary(query)
    if not results:
        return HistogramView(use_case, version, query, locale, State.NOT_YET, run=run)
    histogram = discovered_histogram(version, locale, query)
    if histogram is None:
        state = state_without_words(version, locale, query)
        return HistogramView(use_case, version, query, locale, state, run=run)
    histogram.version = version
    words = Words(version, discovery, locale)
    rows, matching = rows_of(version, histogram, query, words)
    total = histogram.entries.count()
    state = State.SHOWN if total else State.NONE_ABOVE
    tally = words.tally(query, histogram.entries.all())
    return HistogramView(use_case, version, query, locale, state, histogram, rows, total, matching, run, tally=tally)


def _refuse_what_needs_a_dictionary(query: HistogramQuery) -> None:
    if query.group or query.category:
        field = "group" if query.group else "category"
        raise NotInVersion(field, _("This version looks for words, which are in no groups."))
    if query.days is not None:
        raise NotInVersion("days", _("This version looks for words: its windows are those of its runs."))
    if query.values:
        raise NotInVersion("values", _("This version looks for words, and knows nothing of those it did not find."))


def _grouping(available: tuple[Grouping, ...], query: HistogramQuery) -> Grouping | None:
    found = next((grouping for grouping in available if grouping.name == query.group), None)
    if query.group and found is None:
        raise NotInVersion("group", _("The dictionary of this version has nothing to group in this way."))
    return found


def _check_category(
    use_case: UseCase, histogram: Histogram, query: HistogramQuery, rows: tuple[HistogramRow, ...]
) -> None:
    """A category may have nothing above the threshold, but it must be one."""
    if not query.category or rows or histogram.revision is None:
        return
    if histogram.revision.entries.filter(category=query.category).exists():
        return
    elsewhere = DictionaryEntry.objects.filter(revision__version__in=known_versions(use_case), category=query.category)
    kind = NotInVersion if elsewhere.exists() else QueryError
    raise kind("category", _("The dictionary of this version does not have this category."))
