"""The first page: the use cases one may see, what each has found, and where to begin if there is none."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from reports.access import may_define, may_set_up, owned, use_cases
from reports.demo.coming import all_days_to_come
from reports.models import UseCase
from reports.viewings import record_once_a_day
from reports.web.pages.home.cards import Card, cards
from reports.web.pages.home.pinned import pinned
from reports.web.pages.people import person


@dataclass(frozen=True)
class FirstSteps:
    """Progress of a new user; `use_case` is the first, once it is defined."""

    may_define: bool
    use_case: UseCase | None = None
    is_defined: bool = False
    has_reports: bool = False
    # Its unfinished or failed run, if there is one.
    has_run: bool = False

    @property
    def next(self) -> int:
        if not self.is_defined:
            return 1
        return 3 if self.has_reports else 2


def first_steps(person: User, visible: Sequence[UseCase], found: Sequence[Card]) -> FirstSteps | None:
    """Return the first steps of a user with at most one use case and no result, who may define or owns one."""
    if not visible:
        return FirstSteps(may_define=True) if may_define(person) else None
    if len(visible) > 1 or len(found) != 1 or found[0].result is not None:
        return None
    (card,) = found
    if not use_cases(person, "edit").filter(pk=card.use_case.pk).exists():
        return None
    return FirstSteps(
        may_define=may_define(person),
        use_case=card.use_case,
        is_defined=card.is_active,
        has_reports=card.has_reports,
        has_run=card.percent is not None or bool(card.failed),
    )


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    fragment = "cards" in request.GET
    if not fragment and request.GET:
        # One view, one address. Searches had this one once.
        search = request.GET.get("q", "")
        return redirect(f"{reverse('search')}?{urlencode({'q': search})}" if search else request.path)
    visible = list(use_cases(person(request), "view"))
    running = [use_case for use_case in visible if use_case.state != UseCase.State.ARCHIVED]
    found = cards(running, owned(person(request)))
    own = None if fragment else pinned(person(request))
    _record(person(request), found, own.seen if own is not None else [])
    context = {
        "own": own,
        "cards": found,
        "busy": [card for card in found if card.percent is not None],
        "coming": all_days_to_come(),
        "archived": [use_case for use_case in visible if use_case.state == UseCase.State.ARCHIVED],
        "anything": bool(visible),
        "fragment_address": f"{request.path}?cards=",
        "steps": first_steps(person(request), visible, found),
        "sets_up": may_set_up(person(request)),
        "uploader": use_cases(person(request), "upload").exists(),
    }
    # The fragment with which a script replaces the cards while a run is under way.
    return render(request, "reports/_cards.html" if fragment else "reports/home.html", context)


def _record(viewer: User, found: Sequence[Card], seen: Sequence[UseCase]) -> None:
    use_cases = {each.pk: each for each in (*seen, *(card.use_case for card in found if card.result is not None))}
    record_once_a_day(viewer, list(use_cases.values()), "card")
