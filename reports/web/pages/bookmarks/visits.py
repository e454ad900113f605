"""The pages that a person visited last, as links, and the button that forgets them."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from reports import access, visits
from reports.models import UseCase
from reports.web.pages.bookmarks.query_strings import LONGEST, READERS, address, in_words
from reports.web.pages.people import person


@dataclass(frozen=True)
class Visited:
    title: str
    detail: str
    address: str


def remember(reader: User, use_case: UseCase, page: str, query: str) -> None:
    """Note a page as the one that was visited last, unless its query string is too long."""
    if len(query) <= LONGEST:
        visits.remember(reader, use_case, page, query)


def last_visited(reader: User) -> list[Visited]:
    found = access.visits(reader).filter(page__in=READERS).select_related("use_case")
    return [
        Visited(each.use_case.title, in_words(each.page, each.query), address(each.use_case, each.page, each.query))
        for each in found[: visits.MOST_VISITS]
    ]


@require_POST
def forget(request: HttpRequest) -> HttpResponse:
    visits.forget_visits(person(request))
    messages.success(request, _("The pages that you visited last are forgotten."))
    return redirect("home")
