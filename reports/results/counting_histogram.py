"""Answering a query for a version that counts a dictionary: a window of periods, made into a histogram."""

from dataclasses import replace

from django.utils.translation import gettext as _

from reports.models import DictionaryEntry, Histogram, Version
from reports.publication import not_counted_in, periods_of
from reports.results.availability import State
from reports.results.counted import asked_window, left_out, span_of_periods
from reports.results.groupings import Grouping, groupings
from reports.results.histogram_rows import rows_of
from reports.results.histogram_view import HistogramView
from reports.results.histograms import histograms_of
from reports.results.query import HistogramQuery, NotInVersion, QueryError
from reports.results.versions import known_versions


def answer(view: HistogramView, version: Version, *, results: bool) -> HistogramView:
    query = view.query
    _check(query, version)
    periods = periods_of(version, [view.locale])[view.locale]
    revision = version.current_dictionary()
    if revision is not None:
        revision.version = version
    available = tuple(groupings(revision)) if revision is not None else ()
    grouping = _grouping(available, query)
    view = replace(view, groupings=available, grouping=grouping, span=span_of_periods(periods))
    window = asked_window(periods, query) if results else None
    if window is None or revision is None or not revision.size:
        return view
    (histogram,) = histograms_of([(window, revision)], grouping)
    not_counted = tuple(not_counted_in(window, periods, revision))
    if query.values and not_counted:
        raise NotInVersion(
            "values", _("Some elements are not counted in all of this window, so its estimates stay as they are.")
        )
    rows, matching = rows_of(version, histogram, query)
    if query.category and not rows:
        _check_category(version, histogram, query)
    total = histogram.entries.size
    return replace(
        view,
        state=State.SHOWN if total else State.NONE_ABOVE,
        histogram=histogram,
        rows=rows,
        total=total,
        matching=matching,
        window=window,
        periods=periods,
        left_out=tuple(left_out(periods, window, query)),
        not_counted=not_counted,
    )


def _check(query: HistogramQuery, version: Version) -> None:
    if query.is_about_words:
        field = "words" if query.words else "sort"
        raise NotInVersion(field, _("This version counts a dictionary and looks for no words."))
    if query.values and not version.use_case.dictionary_complete:
        raise NotInVersion(
            "values", _("Only where the dictionary holds every possible element can estimates be made consistent.")
        )


def _grouping(available: tuple[Grouping, ...], query: HistogramQuery) -> Grouping | None:
    found = next((grouping for grouping in available if grouping.name == query.group), None)
    if query.group and found is None:
        raise NotInVersion("group", _("The dictionary of this version has nothing to group in this way."))
    return found


def _check_category(version: Version, histogram: Histogram, query: HistogramQuery) -> None:
    """Allow a category that has nothing above the threshold, but it must be one."""
    entries = DictionaryEntry.objects.filter(category=query.category)
    if entries.filter(revision=histogram.revision).exists():
        return
    elsewhere = entries.filter(revision__version__in=known_versions(version.use_case))
    kind = NotInVersion if elsewhere.exists() else QueryError
    raise kind("category", _("The dictionary of this version does not have this category."))
