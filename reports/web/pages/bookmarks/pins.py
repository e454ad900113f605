"""Pins: saved views on the front page, in one's own order; the owner of a shared view may pin it for its group."""

from collections.abc import Sequence
from typing import Final

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from reports import access
from reports.models import Pin, SavedView
from reports.web.pages.people import person
from reports.web.query_strings import key_of

# More cards would take time to load, and go unread.
MOST_PINS: Final = 12


def pin_view(owner: User, view: SavedView) -> None:
    """Pin a view behind the others, unless it is pinned or there are too many."""
    own = _own(owner)
    if len(own) < MOST_PINS and all(pin.view_id != view.pk for pin in own):
        Pin.objects.create(owner=owner, view=view, position=own[-1].position + 1 if own else 0)


def _move(owner: User, view: SavedView, steps: int) -> None:
    own = _own(owner)
    place = next((place for place, pin in enumerate(own) if pin.view_id == view.pk), None)
    if place is None or not 0 <= place + steps < len(own):
        return
    own.insert(place + steps, own.pop(place))
    for position, pin in enumerate(own):
        pin.position = position
    Pin.objects.bulk_update(own, ["position"])


def _own(owner: User) -> list[Pin]:
    return list(Pin.objects.filter(owner=owner).select_for_update())


def _change(owner: User, view: SavedView, deed: str) -> None:
    """Do what a button says. Raises `Http404` for what none of them does."""
    own = Pin.objects.filter(owner=owner, view=view)
    match deed:
        case "pin":
            pin_view(owner, view)
        case "unpin":
            own.delete()
        case "earlier" | "later":
            _move(owner, view, -1 if deed == "earlier" else 1)
        case "for-team":
            own.filter(view__owner=owner, view__shared_with__isnull=False).update(for_team=True)
        case "for-me":
            own.update(for_team=False)
        case _:
            raise Http404


@require_POST
@transaction.atomic
def change_pins(request: HttpRequest) -> HttpResponse:
    """Pin a view to one's own front page, or change a pin of one's own."""
    view = get_object_or_404(access.saved_views(person(request)), pk=key_of(request.POST.get("view", "")))
    _change(person(request), view, request.POST.get("do", ""))
    messages.success(request, _("Your front page is changed."))
    return redirect(f"{reverse('home')}#pins")


def unpinned(reader: User, pins: Sequence[Pin]) -> list[SavedView]:
    """The views that might be pinned, too."""
    there = [pin.view_id for pin in pins if pin.owner_id == reader.pk]
    return list(access.saved_views(reader).exclude(pk__in=there)) if len(there) < MOST_PINS else []
