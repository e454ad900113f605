"""Runs of a training task that are under way: watched, cancelled and trained again."""

import uuid
from typing import Any

from django.contrib import messages
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
    """The runs that are trained, each in a box; else the newest, if it failed.

    Rounds of real devices take days, spend their ε, and hold up nothing: their run comes first. Of simulations it is
    the one that is trained, or waits longest, and how many wait behind it.
    """
    theirs = TrainingRun.objects.filter(version__task=found)
    boxes: list[dict[str, Any]] = []
    # Mostly nothing is trained: figures are asked for only where there is something to show.
    if theirs.filter(state__in=TrainingRun.UNFINISHED).exists():
        unfinished = runs_of([found]).filter(state__in=TrainingRun.UNFINISHED)
        simulated = unfinished.filter(agreed={})
        boxes += [_box(run, edits=edits) for run in unfinished.exclude(agreed={})]
        if (first := simulated.reverse().first()) is not None:
            boxes.append({**_box(first, edits=edits), "behind": simulated.count() - 1})
    elif theirs.order_by("-created_at", "pk").values_list("state", flat=True).first() == TrainingRun.State.FAILED:
        newest = runs_of([found]).first()
        boxes.append(_box(newest, edits=edits))
    is_over = all(box["progress"].finished for box in boxes)
    return {"boxes": boxes, "is_over": is_over, "states": TrainingRun.State}


def _box(run: Any, *, edits: bool) -> dict[str, Any]:
    is_failed = run.state == TrainingRun.State.FAILED
    return {
        "run": run,
        "run_name": run_name(RunFacts(run)),
        "curve": None if is_failed else curve_so_far(RunFacts(run)),
        "rounds_done": run.newest_round or 0,
        "rounds_total": run.version.parameters["rounds"],
        "progress": progress_of(run),
        "may_go_on": edits and may_go_on(run),
        "is_forgotten": is_failed and not may_go_on(run),
        "may_cancel": edits and not is_failed,
    }


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


@require_POST
def cancel(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    run = _steered(request, pk)
    cancel_training(run)
    return redirect("training_task", run.version.task.slug)


@require_POST
def retry(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    run = _steered(request, pk)
    try:
        retry_training(run)
    except ValidationError as error:
        messages.error(request, "\n".join(error.messages))
    return redirect("training_task", run.version.task.slug)
