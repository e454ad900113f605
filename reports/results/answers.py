"""Answering a query: the histogram it means, the rows of it, or the reason why there is none."""

from dataclasses import replace
from typing import Final, Protocol

from reports.kinds import ByKind
from reports.models import Run, UseCase, Version
from reports.results import counting_histogram, discovery_histogram
from reports.results.availability import State
from reports.results.counted_elsewhere import counted_by_none, counted_by_others
from reports.results.histogram_view import HistogramView
from reports.results.query import HistogramQuery
from reports.results.versions import asked_versions, check_locale


class Answer(Protocol):
    def __call__(self, view: HistogramView, version: Version, *, results: bool) -> HistogramView: ...


ANSWERS: Final = ByKind[Answer](counting=counting_histogram.answer, discovery=discovery_histogram.answer)


def histogram_view(use_case: UseCase, query: HistogramQuery, *, results: bool = True) -> HistogramView:
    """Find what a query means; without `results` only what there is to choose from, of which nothing is computed.

    Raises `NotInVersion` for what this version does not have, and `QueryError` for what no version has.
    """
    versions = asked_versions(use_case, query.version)
    if not versions:
        return HistogramView(use_case, None, query, "", State.NOT_YET)
    version, *others = versions
    locale = query.locale or version.locales[0]
    check_locale(version, locale)
    view = HistogramView(use_case, version, query, locale, State.NOT_YET, run=pending_run(version))
    view = ANSWERS.of(version)(view, version, results=results)
    return _beside_others(view, others) if results else view


def _beside_others(view: HistogramView, others: list[Version]) -> HistogramView:
    """Name the other versions that counted the days asked for, and leave out the days that none of them did."""
    bounds = view.query.bounds(view.span.last if view.span is not None else None)
    elsewhere = counted_by_others(others, view.locale, *bounds)
    if not elsewhere:
        return view
    is_theirs = view.state == State.NOT_YET and view.query.has_window
    state = State.OTHER_VERSION if is_theirs else view.state
    return replace(view, state=state, elsewhere=elsewhere, left_out=counted_by_none(view.left_out, elsewhere))


def pending_run(version: Version) -> Run | None:
    """Return the latest run of a version, unless it has finished: then it will find no more."""
    run: Run | None = version.runs.first()
    return None if run is None or run.state == Run.State.FINISHED else run
