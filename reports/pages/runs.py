"""Starting a run, watching it, giving it another chance."""

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from reports.access import Action, use_cases
from reports.models import Run, Version
from reports.pages.numbers import day_range
from reports.pages.people import person
from reports.results import HistogramQuery, QueryError
from reports.runs import NothingToAggregate, progress_of, retry, start_run

# In percent. The number of parts tells how many reports there are, even below the minimum: only owners see it.
VIEWERS_STEP = 25


@login_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(use_cases(person(request), "edit"), slug=slug)
    try:
        query = HistogramQuery.from_parameters(request.POST)
    except QueryError as error:
        messages.error(request, str(error))
        return redirect("use_case", slug)
    version = found.versions.filter(number=query.version).first() if query.version else found.active_version()
    if version is None or version.state == Version.State.DRAFT:
        messages.error(request, _("The use case has no active version, so there is nothing to aggregate."))
        return redirect("use_case", slug)
    try:
        started = start_run(version, query.first, query.last, user=person(request))
    except NothingToAggregate as nothing:
        messages.error(request, str(nothing))
        return redirect("use_case", slug)
    return redirect("run", started.pk)


@login_required
@require_safe
@never_cache
def run(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    found = get_object_or_404(_runs(request, "view"), pk=pk)
    return render(request, "reports/run.html", _context(request, found))


@login_required
@require_safe
@never_cache
def progress(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The part of the page that changes."""
    found = get_object_or_404(_runs(request, "view"), pk=pk)
    return render(request, "reports/_progress.html", _context(request, found))


@login_required
@require_POST
def retry_failed(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    found = get_object_or_404(_runs(request, "edit"), pk=pk)
    retry(found)
    return redirect("run", found.pk)


def _runs(request: HttpRequest, action: Action) -> QuerySet[Run]:
    allowed = use_cases(person(request), action)
    return Run.objects.filter(version__use_case__in=allowed).select_related("version__use_case", "requested_by")


def _context(request: HttpRequest, found: Run) -> dict[str, object]:
    version = found.version
    active = version.state == Version.State.ACTIVE
    query = HistogramQuery(first=found.first_day, last=found.last_day, version=None if active else version.number)
    owner = _runs(request, "edit").contains(found)
    progress = progress_of(found)
    return {
        "run": found,
        "owner": owner,
        "use_case": version.use_case,
        "window": day_range(found.first_day, found.last_day),
        "progress": progress,
        "percent": progress.percent if owner else progress.percent // VIEWERS_STEP * VIEWERS_STEP,
        "states": Run.State,
        "histogram_query": query.encoded(),
    }
