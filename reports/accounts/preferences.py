"""Preferences of the person who asks: loaded with the person, and in force while the request lasts."""

from typing import Any, Final

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin

from reports.formatting import write_numbers_as
from reports.models import Preferences

# Routes that answer everybody alike: programs, load balancers, and readers of other sites' pages.
_ALIKE: Final = ("api/v1/", "healthz", "readyz", "embed/")


class PersonBackend(ModelBackend):
    """Django's backend, which loads people with their preferences: one query, not two for each page."""

    def get_user(self, user_id: int) -> User | None:
        person = User.objects.select_related("preferences").filter(pk=user_id).first()
        return person if person is not None and self.user_can_authenticate(person) else None


def preferences_of(person: User | AnonymousUser) -> Preferences | None:
    found: Preferences | None = getattr(person, "preferences", None)
    return found


class PreferencesMiddleware(MiddlewareMixin):
    """Let pages speak and count as their reader prefers. A language that was chosen in this browser goes first."""

    def process_view(self, request: HttpRequest, view: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        route = "" if request.resolver_match is None else request.resolver_match.route
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or route.startswith(_ALIKE):
            return
        chosen = preferences_of(request.user)
        if chosen is None:
            return
        write_numbers_as(chosen.numbers)
        if chosen.language and not request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME):
            translation.activate(chosen.language)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        # The thread answers others next.
        write_numbers_as("")
        return response
