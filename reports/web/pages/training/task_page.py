"""A training task: how good its model is, at which ε, and all that left the boundary; the same as files."""

import json
import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from reports.access import training_tasks
from reports.formatting import whole
from reports.jobs import progress_of
from reports.models import TrainingRun, TrainingTask
from reports.results import Table
from reports.training import cancel_training, may_go_on, retry_training
from reports.training.documents import released, releases_document, rounds_document, runs_document
from reports.training.run_facts import Ledger, RunFacts, comparable_runs, run_facts, runs_of, shown_run
from reports.web.pages.addresses import Download
from reports.web.pages.exports import Export, Form, check_form, file_of, file_views
from reports.web.pages.people import person
from reports.web.pages.provenance_facts import Facts
from reports.web.pages.training.training_charts import charts
from reports.web.pages.training.training_tables import (
    ledger_table,
    releases_in_words,
    releases_table,
    rounds_table,
    runs_table,
    took,
)
from reports.web.pages.training.training_words import (
    algorithm_name,
    algorithm_of,
    answers,
    delta_text,
    epsilon_words,
    model_name,
    number_text,
    run_name,
)


def _found(request: HttpRequest, slug: str) -> TrainingTask:
    return get_object_or_404(training_tasks(person(request), "view"), slug=slug)


@login_required
@require_safe
@never_cache
def task(request: HttpRequest, slug: str) -> HttpResponse:
    found = _found(request, slug)
    runs = runs_of([found])
    shown = shown_run(runs, request.GET.get("run", ""))
    version = found.active_version()
    context = {
        "task": found,
        "version": version,
        "draft": found.versions.filter(state="draft").first(),
        "edits": training_tasks(person(request), "edit").filter(pk=found.pk).exists(),
        "shown": shown,
        "downloads_of_runs": _downloads("training_runs", found.slug),
        **_under_way(request, found, runs),
    }
    if version is not None:
        context["facts"] = _facts(version.parameters, version.plan or {}, Ledger(runs))
    if runs:
        context["ledger"] = ledger_table(Ledger(runs))
    if shown is not None:
        context |= _result(request, shown, comparable_runs(runs, shown), Ledger(runs))
    return render(request, "reports/training_task.html", context)


def _result(request: HttpRequest, shown: RunFacts, compared: Sequence[RunFacts], ledger: Ledger) -> dict[str, Any]:
    slug = shown.run.version.task.slug
    address = request.build_absolute_uri(f"{reverse('training_task', args=[slug])}?run={shown.run.pk}")
    provenance, releases = _provenance(shown), released(shown.run)
    return {
        "answer": answers(shown, compared, ledger),
        "name": run_name(shown),
        "charts": charts(shown, compared, provenance=provenance, address=address),
        "runs": runs_table(shown, compared),
        "rounds": rounds_table(shown),
        "releases": releases_table(releases),
        "releases_in_words": releases_in_words(shown, releases),
        "downloads_of_rounds": _downloads("training_rounds", str(shown.run.pk)),
        "downloads_of_releases": _downloads("training_releases", str(shown.run.pk)),
        "provenance": provenance,
        "exactly": address,
    }


def _facts(parameters: dict[str, Any], plan: dict[str, Any], ledger: Ledger) -> list[tuple[str, ...]]:
    spent = number_text(ledger.epsilon)
    target = _("in all; a run has %(target)s") % {"target": number_text(plan.get("epsilon", 0.0))}
    return [
        (_("ε spent"), spent, target),
        ("δ", delta_text(parameters["delta"])),
        (_("People"), whole(parameters["population"])),
        (_("Rounds"), whole(parameters["rounds"])),
        (_("Model"), model_name(parameters)),
        (_("Algorithm"), algorithm_name(parameters["algorithm"])),
    ]


def _under_way(request: HttpRequest, found: TrainingTask, runs: Sequence[RunFacts]) -> dict[str, Any]:
    """The newest run, unless it is finished, and those that wait behind it."""
    newest = next((run for run in reversed(runs) if run.run.state in TrainingRun.UNFINISHED), None)
    if newest is None and runs and not runs[0].is_finished:
        newest = runs[0]
    if newest is None:
        return {}
    waiting = sum(run.run.state in TrainingRun.UNFINISHED for run in runs) - 1
    edits = training_tasks(person(request), "edit").filter(pk=found.pk).exists()
    return {
        "run": newest.run,
        "run_name": run_name(newest),
        "rounds_done": newest.rounds[-1].number if newest.rounds else 0,
        "rounds_total": newest.parameters["rounds"],
        "progress": progress_of(newest.run),
        "behind": max(0, waiting),
        "states": TrainingRun.State,
        "may_go_on": edits and may_go_on(newest.run),
        "is_forgotten": newest.run.state == TrainingRun.State.FAILED and not may_go_on(newest.run),
        "may_cancel": edits and newest.run.state in TrainingRun.UNFINISHED,
    }


@login_required
@require_safe
@never_cache
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of the page that changes."""
    found = _found(request, slug)
    return render(request, "reports/_training_progress.html", _under_way(request, found, runs_of([found])))


def _run(request: HttpRequest, pk: uuid.UUID) -> RunFacts:
    """Return a run of a task that the reader may see."""
    tasks = training_tasks(person(request), "view")
    runs = TrainingRun.objects.select_related("version__task", "requested_by")
    found = get_object_or_404(runs, pk=pk, version__task__in=tasks)
    return run_facts(found)


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
    retry_training(run)
    return redirect("training_task", run.version.task.slug)


_OF_RUNS = (
    *("run", "version", "state", "private", "sealed", "target_epsilon"),
    *("epsilon", "delta", "rmse", "recall_at_20", "seconds"),
)
_OF_RELEASES = ("round", "name", "sensitivity", "noise_standard_deviation")


@login_required
@require_safe
def runs_file(request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
    found = _found(request, slug)
    check_form(form)
    return _file(runs_document(found, runs_of([found])), "runs", _OF_RUNS, slug, form)


@login_required
@require_safe
def rounds_file(request: HttpRequest, pk: uuid.UUID, form: Form) -> HttpResponseBase:
    run = _run(request, pk)
    check_form(form)
    document = rounds_document(run)
    fields = [*document["rounds"][0]] if document["rounds"] else ["round", "epsilon"]
    return _file(document, "rounds", fields, _name(run), form)


@login_required
@require_safe
def releases_file(request: HttpRequest, pk: uuid.UUID, form: Form) -> HttpResponseBase:
    run = _run(request, pk)
    check_form(form)
    return _file(releases_document(run), "releases", _OF_RELEASES, _name(run), form)


def _file(document: dict[str, Any], rows: str, fields: Sequence[str], name: str, form: Form) -> HttpResponseBase:
    """Write a document, and as a table its rows, with what they have in common behind each."""
    about = {name: value for name, value in document.items() if name != rows}
    common = {name: value for name, value in about.items() if not isinstance(value, dict) and name not in fields}
    lines = ([_plain(row[name]) for name in fields] + [*common.values()] for row in document[rows])
    return file_of(Export(document, Table([*fields, *common], lines, about), f"training-{rows}-{name}"), form)


def _plain(value: Any) -> Any:
    """Return a value as a cell of a table has it."""
    return json.dumps(value) if isinstance(value, dict) else value


def _name(run: RunFacts) -> str:
    return f"{run.run.version.task.slug}-{run.run.created_at:%Y-%m-%d}"


def _downloads(view: str, argument: str) -> list[Download]:
    return [Download(label, reverse(name, args=[argument])) for label, name in file_views(view).items()]


def _provenance(run: RunFacts) -> Facts:
    of = run.run
    # Either leaves no person.
    who = _("the command line, or a person who has been deleted since")
    if of.requested_by is not None:
        who = of.requested_by.get_username()
    devices = _("simulated: an invented catalogue") if of.catalogue else _("simulated: the ratings of a file")
    path = _("the processes of all roles") if of.sealed else _("a vectorised equivalent of all devices")
    return [
        (_("Training task"), f"{of.version.task.slug}, {_('version %(number)s') % {'number': of.version.number}}"),
        (_("Algorithm"), algorithm_of(run)),
        (_("Noise"), epsilon_words(run)),
        (_("Devices"), devices),
        (_("Path of contributions"), path),
        (_("Held out"), str(TrainingRun.Split(of.split).label)),
        (_("Seed"), str(of.seed)),
        (_("Asked by"), who),
        (_("Asked"), _("%(time)s UTC") % {"time": date_format(of.created_at, "DATETIME_FORMAT")}),
        (_("Took"), took(run)),
    ]
