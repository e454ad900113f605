"""Runs of a training task that are under way: watched, cancelled and trained again."""

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from reports.access import training_tasks
from reports.jobs import progress_of
from reports.models import TrainingRun, TrainingTask
from reports.training import cancel_training, may_go_on, retry_training
from reports.training.run_facts import RunFacts, runs_of
from reports.web.pages.people import person
from reports.web.pages.training.training_curve import curve_so_far
from reports.web.pages.training.training_words import run_name


def under_way(found: TrainingTask, *, edits: bool) -> dict[str, Any]:
    """The run that is trained, or waits longest, and how many wait behind it; else the newest, if it failed."""
    every = runs_of([found]).filter(state__in=TrainingRun.UNFINISHED)
    # Rounds of real devices take days, and nothing waits behind them.
    unfinished = every.filter(agreed={})
    shown: Any = unfinished.reverse().first() or every.first() or runs_of([found]).first()
    if shown is None or shown.state == TrainingRun.State.FINISHED:
        return {}
    is_failed = shown.state == TrainingRun.State.FAILED
    return {
        "run": shown,
        "run_name": run_name(RunFacts(shown)),
        "curve": None if is_failed else curve_so_far(RunFacts(shown)),
        "rounds_done": shown.newest_round or 0,
        "rounds_total": shown.version.parameters["rounds"],
        "progress": progress_of(shown),
        "behind": 0 if is_failed else max(0, unfinished.count() - 1),
        "states": TrainingRun.State,
        "may_go_on": edits and may_go_on(shown),
        "is_forgotten": is_failed and not may_go_on(shown),
        "may_cancel": edits and not is_failed,
    }


@login_required
@require_safe
@never_cache
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of the page that changes."""
    found = get_object_or_404(training_tasks(person(request), "view"), slug=slug)
    edits = training_tasks(person(request), "edit").filter(pk=found.pk).exists()
    return render(request, "reports/_training_progress.html", under_way(found, edits=edits))


def _steered(request: HttpRequest, pk: uuid.UUID) -> TrainingRun:
    """Return a run that the reader may steer; for others it does not exist."""
    tasks = training_tasks(person(request), "edit")
    return get_object_or_404(TrainingRun.objects.select_related("version__task"), pk=pk, version__task__in=tasks)


@login_required
@require_POST
def cancel(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    run = _steered(request, pk)
    cancel_training(run)
    return redirect("training_task", run.version.task.slug)


@login_required
@require_POST
def retry(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    run = _steered(request, pk)
    try:
        retry_training(run)
    except ValidationError as error:
        messages.error(request, "\n".join(error.messages))
    return redirect("training_task", run.version.task.slug)
