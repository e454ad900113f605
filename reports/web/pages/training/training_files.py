"""Pages of training tasks as files; the published model of a run as a NumPy archive, and its card."""

import io
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import training_tasks
from reports.models import TrainingRun
from reports.training import model_of
from reports.training.documents import releases_document, rounds_document, runs_document
from reports.training.model_card import model_card
from reports.training.run_facts import RunFacts, with_figures
from reports.viewings import record_viewing
from reports.web.pages.exports import Export, Form, file_of, rows_table
from reports.web.pages.people import person

_OF_RUNS = (
    *("run", "version", "state", "source_of_data", "private", "sealed", "target_epsilon", "epsilon"),
    *("unamplified_epsilon", "delta", "rmse", "rmse_standard_error", "recall_at_20", "recall_at_20_standard_error"),
    *("recall_baselines", "people", "released_metrics"),
)
_OF_RELEASES = ("round", "name", "sensitivity", "noise_standard_deviation", "numbers", "bytes")


def _run(request: HttpRequest, pk: uuid.UUID, form: Form) -> RunFacts:
    """Return a run of a task that the reader may see, and note that it was."""
    tasks = training_tasks(person(request), "view")
    found = get_object_or_404(with_figures(TrainingRun.objects.filter(version__task__in=tasks)), pk=pk)
    record_viewing(person(request), found.version.task, form)
    return RunFacts(found)


def runs_file(request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
    found = get_object_or_404(training_tasks(person(request), "view"), slug=slug)
    record_viewing(person(request), found, form)
    return _file(runs_document(found), "runs", _OF_RUNS, slug, form)


def rounds_file(request: HttpRequest, pk: uuid.UUID, form: Form) -> HttpResponseBase:
    run = _run(request, pk, form)
    document = rounds_document(run)
    # Metrics are released after some rounds alone.
    fields = [*dict.fromkeys(name for each in document["rounds"] for name in each)] or ["round", "epsilon"]
    return _file(document, "rounds", fields, _name(run), form)


def releases_file(request: HttpRequest, pk: uuid.UUID, form: Form) -> HttpResponseBase:
    run = _run(request, pk, form)
    return _file(releases_document(run), "releases", _OF_RELEASES, _name(run), form)


def _file(document: dict[str, Any], rows: str, fields: Sequence[str], name: str, form: Form) -> HttpResponseBase:
    """Write a document, and as a table its rows, with what they have in common behind each."""
    alike = {name: value for name, value in document.items() if name not in {rows, *fields}}
    common = {name: value for name, value in alike.items() if not isinstance(value, dict)}
    return file_of(Export(document, rows_table(document, rows, fields, common), f"training-{rows}-{name}"), form)


def _name(run: RunFacts) -> str:
    return f"{run.run.version.task.slug}-{run.run.created_at:%Y-%m-%d}"


def _trained(request: HttpRequest, pk: uuid.UUID) -> RunFacts:
    tasks = training_tasks(person(request), "view")
    runs = with_figures(TrainingRun.objects.filter(version__task__in=tasks))
    found = runs.filter(pk=pk, state=TrainingRun.State.FINISHED).first()
    if found is None:
        raise Http404(_("There is no such model."))
    record_viewing(person(request), found.version.task, "model")
    return RunFacts(found)


@require_safe
def model(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    run: TrainingRun = _trained(request, pk).run
    if run.non_private:
        words = _("This model was trained without noise. It is for comparison alone, and is not handed out.")
        return HttpResponse(words, content_type="text/plain; charset=utf-8", status=403)
    file = io.BytesIO()
    arrays: dict[str, Any] = {**model_of(run), "item_names": np.array(run.item_names, np.str_)}
    np.savez(file, **arrays)
    return _attached(file.getvalue(), "application/zip", f"{run.version.task.slug}.npz")


@require_safe
def card(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    run = _trained(request, pk)
    return _attached(model_card(run).encode(), "text/markdown; charset=utf-8", f"{run.run.version.task.slug}-card.md")


def _attached(content: bytes, content_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=headers)
