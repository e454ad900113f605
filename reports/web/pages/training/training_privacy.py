"""The privacy statement of a training task, in plain words and as JSON. Of a published task everybody may read it."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import training_tasks
from reports.formatting import whole
from reports.models import TrainingTask
from reports.training.ledgers import ledger_of
from reports.training.privacy_statement import known_draw, privacy_document, roles, sections
from reports.web.pages.exports import json_file
from reports.web.pages.people import published, reader
from reports.web.pages.tables import Heading, Row, Table
from reports.web.pages.training.training_answers import belief, bound_words, spent_in_words
from reports.web.pages.training.training_words import delta_text, number_text


def readable(request: HttpRequest, slug: str) -> TrainingTask | None:
    return published(request, training_tasks(reader(request), "use"), slug)


def _number(value: float) -> str:
    """A number in a sentence, without digits that say nothing."""
    return whole(value) if value == round(value) else number_text(value)


def _stated(request: HttpRequest, task: TrainingTask) -> dict[str, Any] | None:
    """The statement of the version that is asked for, or of the active one."""
    wanted = request.GET.get("version", "")
    return privacy_document(task, ledger_of(task), int(wanted) if wanted.isdecimal() and len(wanted) < 9 else None)


@login_not_required
@require_safe
def training_privacy(request: HttpRequest, slug: str) -> HttpResponse:
    found = readable(request, slug)
    if found is None:
        return redirect_to_login(request.get_full_path())
    document = _stated(request, found)
    if document is None and request.GET.get("version"):
        raise Http404(_("There is no such version of this task."))
    active = found.active_version()
    context = {
        "task": found,
        "sees": training_tasks(reader(request), "view").filter(pk=found.pk).exists(),
        "document": document,
        "is_active": document is not None and active is not None and active.number == document["version"],
    }
    if document is not None:
        ledger = ledger_of(found)
        context |= {
            "stated_on": date_format(timezone.now(), "DATE_FORMAT"),
            "roles": _roles(document),
            "epsilon": number_text(document["epsilon"]),
            "belief": belief(document["epsilon"]),
            "bound": bound_words(document["epsilon"]),
            "known_draw": ""
            if document["sampling_rate"] is None
            else known_draw(document["unamplified_epsilon"], number_text),
            "delta": delta_text(document["delta"]),
            "one_in": whole(1 / document["delta"]),
            "population": whole(document["population"]),
            "rounds": whole(document["rounds"]),
            "sections": sections(document, _number),
            "sums": [*spent_in_words(ledger)],
            "has_file": ledger.file.has_begun,
            "limit": None if found.epsilon_limit is None else number_text(found.epsilon_limit),
        }
    return render(request, "reports/training_privacy.html", context)


@login_not_required
@require_safe
def training_privacy_file(request: HttpRequest, slug: str) -> HttpResponse:
    found = readable(request, slug)
    if found is None:
        return redirect_to_login(request.get_full_path())
    document = _stated(request, found)
    if document is None:
        raise Http404(_("No version of this task is active."))
    return json_file(document, f"training-privacy-{slug}")


def _roles(document: dict[str, Any]) -> Table:
    headings = [Heading(_("Who")), Heading(_("Sees")), Heading(_("Never sees"))]
    rows: Sequence[Row] = [[each.name, each.sees, each.never_sees] for each in roles(document)]
    return Table(_("Who sees what"), headings, rows, "roles")
