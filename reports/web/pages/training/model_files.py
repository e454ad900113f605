"""The published model of a run as a NumPy archive, and its card."""

import io
import uuid
from typing import Any

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import training_tasks
from reports.models import TrainingRun
from reports.training import model_of
from reports.training.model_card import model_card
from reports.training.run_facts import RunFacts, with_figures
from reports.viewings import record_viewing
from reports.web.pages.people import person


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
    return _file(file.getvalue(), "application/zip", f"{run.version.task.slug}.npz")


@require_safe
def card(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    run = _trained(request, pk)
    return _file(model_card(run).encode(), "text/markdown; charset=utf-8", f"{run.run.version.task.slug}-card.md")


def _file(content: bytes, content_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=headers)
