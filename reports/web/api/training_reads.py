"""Training for programs: tasks, their runs, models' cards, statements and ledgers."""

import uuid
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from reports import access
from reports.models import TrainingRun, TrainingTask, TrainingVersion
from reports.training.documents import releases_document, rounds_document, spent_document
from reports.training.ledgers import ledger_of, ledgers
from reports.training.model_card import model_card
from reports.training.privacy_statement import privacy_document
from reports.training.run_facts import RunFacts, runs_of, with_figures
from reports.viewings import record_viewing
from reports.web.api import descriptions, query_parameters
from reports.web.api.reading import page_of, reads
from reports.web.api.training_serializers import TrainingRunSerializer, TrainingTaskSerializer

_ACTIVE = Prefetch(
    "versions", TrainingVersion.objects.filter(state=TrainingVersion.State.ACTIVE), to_attr="active_versions"
)


@descriptions.training_tasks
@reads(query_parameters.PAGE)
def training_tasks(request: Request) -> Response:
    """The training tasks that one may view, by their identifiers."""
    tasks = _tasks(request)
    return page_of(
        request, tasks.prefetch_related(_ACTIVE).order_by("slug"), TrainingTaskSerializer, ledgers=ledgers(tasks)
    )


@descriptions.training_task
@reads()
def training_task(request: Request, slug: str) -> Response:
    """A training task, with what its runs have spent."""
    found = get_object_or_404(_tasks(request).prefetch_related(_ACTIVE), slug=slug)
    context = {"request": request, "ledgers": ledgers([found])}
    return Response(TrainingTaskSerializer(found, context=context).data)


@descriptions.training_runs
@reads(query_parameters.PAGE)
def training_runs(request: Request, slug: str) -> Response:
    """The runs of a task, the newest first."""
    found = get_object_or_404(_tasks(request), slug=slug)
    answer = page_of(request, runs_of([found]), TrainingRunSerializer)
    record_viewing(request.user, found, "api")
    return answer


@descriptions.training_run
@reads()
def training_run(request: Request, pk: uuid.UUID) -> Response:
    """A run, round by round, with all that left the boundary."""
    found = _run(request, pk)
    return Response(rounds_document(found) | {"releases": releases_document(found)["releases"]})


@descriptions.training_card
@reads()
def training_card(request: Request, pk: uuid.UUID) -> Response:
    """The model card of a finished run."""
    found = _run(request, pk)
    if found.run.state != TrainingRun.State.FINISHED:
        raise Http404(_("There is no such model."))
    return Response({"run": str(pk), "card": model_card(found)})


@descriptions.training_statement
@reads()
def training_statement(request: Request, slug: str) -> Response:
    """The privacy statement of a task."""
    found = get_object_or_404(_tasks(request), slug=slug)
    document = privacy_document(found, ledger_of(found))
    if document is None:
        raise Http404(_("No version of this task is active."))
    return Response(document)


@descriptions.training_ledger
@reads()
def training_ledger(request: Request, slug: str) -> Response:
    """Budget spent by the runs of a task, of real devices and in simulations apart."""
    found = get_object_or_404(_tasks(request), slug=slug)
    return Response({"task": found.slug, "epsilon_limit": found.epsilon_limit, **spent_document(ledger_of(found))})


def _tasks(request: Request) -> QuerySet[TrainingTask]:
    return access.training_tasks(request.user, "view")


def _run(request: Request, pk: uuid.UUID) -> RunFacts:
    """Return a run that one may view, and note that it was."""
    runs = with_figures(TrainingRun.objects.filter(version__task__in=_tasks(request)))
    found: Any = get_object_or_404(runs, pk=pk)
    record_viewing(request.user, found.version.task, "api")
    return RunFacts(found)
