"""Answering a query: the histogram it means, the rows of it, or the reason why there is none."""

from typing import Final, Protocol

from reports.kinds import ByKind
from reports.models import Run, UseCase, Version
from reports.results import counting_histogram, discovery_histogram
from reports.results.availability import State
from reports.results.histogram_view import HistogramView
from reports.results.query import HistogramQuery
from reports.results.versions import asked_version, check_locale


class Answer(Protocol):
    def __call__(self, view: HistogramView, version: Version, *, results: bool) -> HistogramView: ...


ANSWERS: Final = ByKind[Answer](counting=counting_histogram.answer, discovery=discovery_histogram.answer)


def histogram_view(use_case: UseCase, query: HistogramQuery, *, results: bool = True) -> HistogramView:
    """Find what a query means; without `results` only what there is to choose from, of which nothing is computed.

    Raises `NotInVersion` for what this version does not have, and `QueryError` for what no version has.
    """
    version = asked_version(use_case, query.version)
    if version is None:
        return HistogramView(use_case, None, query, "", State.NOT_YET)
    locale = query.locale or version.locales[0]
    check_locale(version, locale)
    view = HistogramView(use_case, version, query, locale, State.NOT_YET, run=pending_run(version))
    return ANSWERS.of(version)(view, version, results=results)


def pending_run(version: Version) -> Run | None:
    """Return the latest run of a version, unless it has finished: then it will find no more."""
    run = version.runs.select_related("version").first()
    return None if run is None or run.state == Run.State.FINISHED else run
