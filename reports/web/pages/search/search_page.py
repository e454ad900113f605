"""The page of the search, and the answers to its palette while a user types."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reports.formatting import whole
from reports.web.pages.people import person
from reports.web.pages.search.finding import Found, find, offered

LONGEST = 100


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    wanted = _wanted(request)
    if request.GET.dict() != ({"q": wanted} if wanted else {}):
        # One view, one address: without what a form sends empty.
        return redirect(_address(wanted))
    found = find(person(request), wanted) if wanted else Found(offered(person(request)))
    context = {"search": wanted, "found": found, "summary": _summary(wanted, found)}
    return render(request, "reports/search.html", context)


@require_safe
@never_cache
def search_json(request: HttpRequest) -> JsonResponse:
    wanted = _wanted(request)
    found = find(person(request), wanted) if wanted else Found(offered(person(request)))
    return JsonResponse(
        {
            "query": wanted,
            "address": _address(wanted),
            "summary": _summary(wanted, found),
            "groups": [group.document() for group in found.groups],
        }
    )


def _wanted(request: HttpRequest) -> str:
    return request.GET.get("q", "").strip()[:LONGEST]


def _address(wanted: str) -> str:
    path = reverse("search")
    return f"{path}?{urlencode({'q': wanted})}" if wanted else path


def _summary(wanted: str, found: Found) -> str:
    """Say whether anything is called so: it is read aloud while the user types."""
    if not wanted:
        return ""
    if not found.groups:
        return _("Nothing that you may see is called “%(search)s”.") % {"search": wanted}
    if found.nearly:
        return _("Nothing is called “%(search)s”. Nearly so:") % {"search": wanted}
    count = sum(len(group.hits) for group in found.groups)
    return ngettext("%(count)s result", "%(count)s results", count) % {"count": whole(count)}
