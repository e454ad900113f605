"""Who looked at the results of a use case or a training task, for its owners."""

from typing import Final

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import training_tasks, use_cases
from reports.models import TrainingTask, UseCase, Viewing
from reports.viewings import IN_WORDS
from reports.web.pages.locales import isolated
from reports.web.pages.people import person
from reports.web.pages.tables import Heading, Table

SHOWN: Final = 100


@require_safe
def viewings(request: HttpRequest, slug: str) -> HttpResponse:
    """The log of a use case, the newest first."""
    found = get_object_or_404(use_cases(person(request), "edit"), slug=slug)
    return _log(request, found, reverse("use_case", args=[slug]))


@require_safe
def training_viewings(request: HttpRequest, slug: str) -> HttpResponse:
    """The log of a training task, the newest first."""
    found = get_object_or_404(training_tasks(person(request), "edit"), slug=slug)
    return _log(request, found, reverse("training_task", args=[slug]))


def _log(request: HttpRequest, found: UseCase | TrainingTask, address: str) -> HttpResponse:
    log = found.viewings.select_related("user", "token").order_by("-at", "-pk")
    page = Paginator(log, SHOWN).get_page(request.GET.get("page"))
    rows = [
        [_who(each), str(IN_WORDS.get(each.what, each.what)), date_format(each.at, "DATETIME_FORMAT")] for each in page
    ]
    headings = [Heading(_("Who")), Heading(_("What")), Heading(_("Time"))]
    table = Table(_("The newest first, times in UTC"), headings, rows, "viewings") if rows else None
    return render(
        request, "reports/viewings.html", {"subject": found, "address": address, "page": page, "table": table}
    )


def _who(viewing: Viewing) -> str:
    if viewing.user is not None:
        return viewing.user.get_username()
    if viewing.token is not None:
        return _("API token %(name)s") % {"name": isolated(viewing.token.name)}
    if viewing.what == "export":
        return _("This site")
    return _("A deleted account or token")
