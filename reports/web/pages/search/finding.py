"""All that a search finds for a person: nothing that they may not see is looked at."""

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from reports import access
from reports.formatting import written_day
from reports.models import Annotation, SavedView, UseCase
from reports.results import Standing, search_elements, with_versions
from reports.viewings import record_once_a_day
from reports.web.pages.bookmarks.query_strings import READERS, address
from reports.web.pages.bookmarks.visits import last_visited
from reports.web.pages.search.answers import answer, of_standing
from reports.web.pages.search.hits import MOST_OF_A_KIND, Group, Hit, group_of
from reports.web.pages.search.places import Place, places
from reports.web.pages.search.questions import Question, read_question

# Annotations that are looked through, the newest.
_MOST_ANNOTATIONS = 2_000
_AROUND = datetime.timedelta(days=14)


@dataclass(frozen=True)
class Found:
    """The groups of what was found, the best first. If nothing is called so, what `nearly` is."""

    groups: Sequence[Group]
    nearly: bool = False


def find(person: User, wanted: str) -> Found:
    """Search everything that a person may see. Shares that are shown are noted as seen."""
    use_cases = list(with_versions(access.use_cases(person, "view")))
    if (question := read_question(wanted, use_cases)) is not None:
        standings = search_elements(use_cases, question.words) if question.words else []
        if (hit := answer(person, question, standings)) is not None:
            beside = _beside(person, use_cases, question, standings)
            others = [replace(each, hits=[other for other in each.hits if other != hit]) for each in beside]
            return Found([Group("answer", _("Answer"), [hit]), *(each for each in others if each.hits)])
        wanted = question.words or wanted
    for nearly in (False, True):
        groups = sorted(_groups(person, use_cases, wanted, nearly=nearly), key=lambda group: group.grade)
        if groups:
            return Found(groups, nearly)
    return Found([])


def _beside(
    person: User, use_cases: Sequence[UseCase], question: Question, standings: Sequence[Standing]
) -> Iterator[Group]:
    """Yield what else a question may have meant."""
    if question.words:
        yield _elements(person, standings)
        yield from _others(person, use_cases, question.words, nearly=False)
    else:
        yield Group("use-case", _("Use cases"), [_of_use_case(each) for each in question.use_cases[:MOST_OF_A_KIND]])


def offered(person: User) -> list[Group]:
    """Suggestions before anything is typed."""
    actions, pages = places(person, "action"), places(person, "page")
    visited = [Hit(each.title, each.address, detail=each.detail) for each in last_visited(person)]
    return [
        *([Group("visit", _("Last visited"), visited)] if visited else []),
        Group("action", _("Actions"), [_of_place(place) for place in actions]),
        Group("page", _("Pages"), [_of_place(place) for place in pages]),
    ]


def _groups(person: User, use_cases: Sequence[UseCase], wanted: str, *, nearly: bool) -> Iterator[Group]:
    standings = search_elements(use_cases, wanted, nearly=nearly)
    if standings:
        yield _elements(person, standings)
    yield from _others(person, use_cases, wanted, nearly=nearly)


def _elements(person: User, standings: Sequence[Standing]) -> Group:
    shown = {standing.version.use_case_id: standing.version.use_case for standing in standings}
    record_once_a_day(person, list(shown.values()), "search")
    return Group("element", _("Elements"), [of_standing(each) for each in standings], standings[0].grade)


def _others(person: User, use_cases: Sequence[UseCase], wanted: str, *, nearly: bool) -> Iterator[Group]:
    """Yield what matches of each kind: things that a person may see, the text by which each is found, and its hit."""
    views = access.saved_views(person).filter(page__in=READERS).select_related("use_case", "shared_with")
    kinds: Sequence[tuple[str, str, Iterable[Any], Callable[[Any], str], Callable[[Any], Hit]]] = (
        ("use-case", _("Use cases"), use_cases, lambda x: f"{x.title} {x.slug} {x.description}", _of_use_case),
        ("view", _("Saved views"), views, lambda x: f"{x.name} {x.use_case.title} {x.get_page_display()}", _of_view),
        ("page", _("Pages"), places(person, "page"), lambda x: x.line, _of_place),
        ("action", _("Actions"), places(person, "action"), lambda x: x.line, _of_place),
        (
            "training",
            _("Training"),
            access.training_tasks(person, "view"),
            lambda x: f"{x.title} {x.slug} {x.description}",
            lambda x: Hit(x.title, reverse("training_task", args=[x.slug])),
        ),
        (
            "annotation",
            _("Annotations"),
            _annotations(use_cases),
            lambda x: x.text,
            lambda x: _of_annotation(x, use_cases),
        ),
    )
    for kind, label, items, line, hit in kinds:
        if (group := group_of(kind, label, items, line, hit, wanted, nearly=nearly)) is not None:
            yield group


def _of_use_case(use_case: UseCase) -> Hit:
    state = "" if use_case.state == UseCase.State.RUNNING else use_case.get_state_display()
    return Hit(use_case.title, reverse("use_case", args=[use_case.slug]), detail=state)


def _of_view(view: SavedView) -> Hit:
    shared = view.shared_with.name if view.shared_with is not None else ""
    detail = " · ".join(filter(None, (view.use_case.title, view.get_page_display(), shared)))
    return Hit(view.name, address(view.use_case, view.page, view.query), detail=detail)


def _of_place(place: Place) -> Hit:
    return Hit(str(place.title), place.address, posts=place.posts)


def _annotations(use_cases: Sequence[UseCase]) -> list[Annotation]:
    """Annotations of use cases, and those about all if there is one on whose pages they are read."""
    if not use_cases:
        return []
    of_these = Q(use_case=None) | Q(use_case__in=[use_case.pk for use_case in use_cases])
    return list(Annotation.objects.filter(of_these).order_by("-day", "-pk")[:_MOST_ANNOTATIONS])


def _of_annotation(annotation: Annotation, use_cases: Sequence[UseCase]) -> Hit:
    own = next((each for each in use_cases if each.pk == annotation.use_case_id), None)
    days = {"from": annotation.day - _AROUND, "to": annotation.day + _AROUND}
    where = f"{reverse('trend', args=[(own or use_cases[0]).slug])}?{urlencode(days)}"
    about = own.title if own is not None else _("all use cases")
    return Hit(annotation.text, where, detail=f"{written_day(annotation.day)} · {about}")
