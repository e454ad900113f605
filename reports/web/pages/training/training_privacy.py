"""The privacy statement of a training task, in plain words and as JSON. Of a published task everybody may read it."""

from collections.abc import Sequence

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from reports.access import training_tasks
from reports.formatting import whole
from reports.models import TrainingTask
from reports.training.privacy_statement import ROLES, privacy_document, sections
from reports.training.run_facts import ledger_of
from reports.web.pages.people import reader
from reports.web.pages.tables import Heading, Row, Table
from reports.web.pages.training.training_answers import belief, bound_words, is_useless
from reports.web.pages.training.training_words import delta_text, number_text

_ROLES = {
    "device": (
        gettext_lazy("Your device"),
        gettext_lazy("what you did, and your own vector"),
        gettext_lazy("anything of others"),
    ),
    "distributor": (
        gettext_lazy("The distributor, a process of its own"),
        gettext_lazy(
            "which rows of the model a device asks for, in memory, while it answers: the items that you rated"
        ),
        gettext_lazy("how you rated them"),
    ),
    "aggregator": (
        gettext_lazy("The aggregator, a process of its own"),
        gettext_lazy("single contributions, in memory only, until they are added up"),
        gettext_lazy("your own vector itself; but what it sees tells most of it"),
    ),
    "server": (
        gettext_lazy("This site, its database and its administrators"),
        gettext_lazy("sealed contributions, and sums that were let out with noise"),
        gettext_lazy("anything that was not let out"),
    ),
    "everybody else": (
        gettext_lazy("Everybody else"),
        gettext_lazy("the published model and its figures"),
        gettext_lazy("everything else"),
    ),
}


def readable(request: HttpRequest, slug: str) -> TrainingTask | None:
    """The task. None for somebody who did not log in: whether there is one they do not learn."""
    found = training_tasks(reader(request), "use").filter(slug=slug).first()
    if found is None and request.user.is_authenticated:
        raise Http404(_("There is no such training task."))
    return found


def _number(value: float) -> str:
    """A number in a sentence, without digits that say nothing."""
    return whole(value) if value == round(value) else number_text(value)


@require_safe
def training_privacy(request: HttpRequest, slug: str) -> HttpResponse:
    found = readable(request, slug)
    if found is None:
        return redirect_to_login(request.get_full_path())
    ledger = ledger_of(found)
    document = privacy_document(found, ledger)
    context = {
        "task": found,
        "sees": training_tasks(reader(request), "view").filter(pk=found.pk).exists(),
        "document": document,
        "roles": _roles(),
    }
    if document is not None:
        context |= {
            "epsilon": number_text(document["epsilon"]),
            "belief": belief(document["epsilon"]),
            "bound": bound_words(document["epsilon"]),
            "is_useless": is_useless(document["spent"]["epsilon"]),
            "delta": delta_text(document["delta"]),
            "one_in": whole(1 / document["delta"]),
            "population": whole(document["population"]),
            "rounds": whole(document["rounds"]),
            "sections": sections(document, _number),
            "spent": number_text(document["spent"]["epsilon"]),
            "limit": None if found.epsilon_limit is None else number_text(found.epsilon_limit),
        }
    return render(request, "reports/training_privacy.html", context)


@require_safe
def training_privacy_file(request: HttpRequest, slug: str) -> HttpResponse:
    found = readable(request, slug)
    if found is None:
        return redirect_to_login(request.get_full_path())
    document = privacy_document(found, ledger_of(found))
    if document is None:
        raise Http404(_("No version of this task is active."))
    headers = {"Content-Disposition": f'attachment; filename="training-privacy-{slug}.json"'}
    return JsonResponse(document, json_dumps_params={"ensure_ascii": False}, headers=headers)


def _roles() -> Table:
    headings = [Heading(_("Who")), Heading(_("Sees")), Heading(_("Never sees"))]
    rows: Sequence[Row] = [[str(text) for text in _ROLES[role]] for role, *_rest in ROLES]
    return Table(_("Who sees what"), headings, rows, "roles")
