"""Who looked at the results of a use case, for its owners."""

from typing import Final

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from reports.access import use_cases
from reports.viewings import IN_WORDS
from reports.web.pages.people import person

SHOWN: Final = 100


@login_required
@require_safe
def viewings(request: HttpRequest, slug: str) -> HttpResponse:
    """The log, the newest first."""
    found = get_object_or_404(use_cases(person(request), "edit"), slug=slug)
    log = found.viewings.select_related("user", "token").order_by("-at", "-pk")
    page = Paginator(log, SHOWN).get_page(request.GET.get("page"))
    lines = [
        {"at": each.at, "person": each.user, "token": each.token, "what": IN_WORDS.get(each.what, each.what)}
        for each in page
    ]
    return render(request, "reports/viewings.html", {"use_case": found, "page": page, "lines": lines})
