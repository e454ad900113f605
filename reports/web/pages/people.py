"""The person behind a request, and what the navigation offers them."""

from collections.abc import Callable
from typing import TypeVar

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest

from reports.access import operates
from reports.notifications import unread

Published = TypeVar("Published", bound=Model)


def person(request: HttpRequest) -> User:
    """Who asks, in a view that is not open to strangers."""
    if not isinstance(request.user, User):
        raise TypeError("the view is open to strangers")
    return request.user


def reader(request: HttpRequest) -> User | AnonymousUser:
    """Who asks, in a view that is open to strangers."""
    return request.user if isinstance(request.user, User) else AnonymousUser()


def published(request: HttpRequest, readable: QuerySet[Published], slug: str) -> Published | None:
    """Find what everybody may read if it is published.

    None for visitors who did not log in, who do not learn whether it is there; for others Http404.
    """
    found = readable.filter(slug=slug).first()
    if found is None and request.user.is_authenticated:
        raise Http404
    return found


def navigation(request: HttpRequest) -> dict[str, Callable[[], object]]:
    """Return what templates with the main navigation ask for."""
    user = getattr(request, "user", None)
    return {
        "operates": lambda: isinstance(user, User) and operates(user),
        "unread": lambda: unread(user) if isinstance(user, User) else 0,
    }
