"""Starting a run, watching it, giving it another chance."""

import uuid
from dataclasses import replace
from typing import NamedTuple

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from reports.access import use_cases
from reports.formatting import day_range, duration
from reports.jobs import progress_of, retry
from reports.models import Run, UseCase, Version
from reports.results import HistogramQuery, QueryError, default_version
from reports.runs import RUNS, NothingToAggregate, outcome_of, quarantined, start_run, uncounted_versions
from reports.web.pages.kinds import page_kind
from reports.web.pages.locales import locale_name
from reports.web.pages.people import person


@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(use_cases(person(request), "edit"), slug=slug)
    try:
        query = HistogramQuery.from_parameters(request.POST)
    except QueryError as error:
        messages.error(request, str(error))
        return redirect("use_case", slug)
    there = found.versions.frozen()
    shown = there.filter(number=query.version).first() if query.version else default_version(found)
    if shown is None:
        messages.error(request, _("The use case has no active version, so there is nothing to aggregate."))
        return redirect("use_case", slug)
    runs, problems = [], []
    for version in _to_aggregate(found, shown, query):
        try:
            runs.append(start_run(version, query.first, query.last, user=person(request)))
        except NothingToAggregate as nothing:
            problems.append(str(nothing))
    if not runs:
        messages.error(request, problems[0])
        return redirect("use_case", slug)
    if len(runs) > 1:
        numbers = ", ".join(str(run.version.number) for run in runs)
        messages.info(request, _("One run each is ordered for the versions %(numbers)s.") % {"numbers": numbers})
    return redirect("run", runs[0].pk)


def _to_aggregate(use_case: UseCase, shown: Version, query: HistogramQuery) -> list[Version]:
    """Reports that have not been counted. Words of a window are looked for even when there is nothing new in it."""
    found = uncounted_versions(use_case)
    has_window = query.first is not None or query.last is not None
    asked_for = has_window and not page_kind(shown).counts_dictionary
    return [*found, shown] if shown not in found and (asked_for or not found) else found


@require_safe
@never_cache
def run(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    found = get_object_or_404(_runs(request), pk=pk)
    return render(request, "reports/run.html", _context(request, found))


@require_safe
@never_cache
def progress(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The part of the page that changes."""
    found = get_object_or_404(_runs(request), pk=pk)
    return render(request, "reports/_progress.html", _context(request, found))


@require_POST
def retry_failed(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    found = get_object_or_404(_runs(request), pk=pk)
    retry(found)
    return redirect("run", found.pk)


def _runs(request: HttpRequest) -> QuerySet[Run]:
    """Runs that the reader may see: owners alone, as what runs do tells how many reports there are, however few."""
    allowed = use_cases(person(request), "edit")
    return Run.objects.filter(version__use_case__in=allowed).select_related("version__use_case", "requested_by")


def _context(request: HttpRequest, found: Run) -> dict[str, object]:
    version = found.version
    default = version == default_version(version.use_case)
    query = HistogramQuery(first=found.first_day, last=found.last_day, version=None if default else version.number)
    progress = progress_of(found)
    return {
        "run": found,
        "use_case": version.use_case,
        "kind": page_kind(version),
        "window": day_range(found.first_day, found.last_day),
        "progress": progress,
        # Not of the current one, which would change all the time, and be read aloud.
        "stages": [(stage, duration(stage.took)) for stage in progress.begun if stage.is_over or progress.finished],
        "took": duration(progress.took) if progress.finished else "",
        "held": progress.held,
        "percent": progress.percent,
        "in_quarantine": quarantined(version, found.first_day, found.last_day),
        "states": Run.State,
        "histogram_query": query.encoded(),
        "results": _results(found, query) if found.state == Run.State.FINISHED else [],
        "outcome": outcome_of(found).name if found.state == Run.State.FINISHED else "",
    }


class Result(NamedTuple):
    """Result of a run in a locale: the window that is shown, and where; empty if none may be."""

    locale: str
    window: str
    query: str


def _results(found: Run, query: HistogramQuery) -> list[Result]:
    """Results of a run that found words. The histograms of a dictionary are many, and made on demand."""
    results = []
    for outcome in RUNS.of(found.version).outcomes(found) or ():
        shown = outcome.histogram
        window = day_range(shown.first_day, shown.last_day) if shown is not None else ""
        address = replace(query, locale=outcome.locale).encoded() if shown is not None else ""
        results.append(Result(locale_name(outcome.locale), window, address))
    return results
