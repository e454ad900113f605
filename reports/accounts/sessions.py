"""Sessions in the database, with whom they belong to: people see where they are logged in, and end it from afar.

The engine of `SESSION_ENGINE`, by Django's own way of extending one. Of a browser its family and system are kept, of
its activity the hour, of its address nothing.
"""

import datetime
import re
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from reports.models import ApiToken, WebSession

# The first that a user agent names; most of them name the later ones as well.
_BROWSERS: Final = {
    "Edge": "Edg",
    "Opera": "OPR/",
    "Firefox": "Firefox|FxiOS",
    "Chrome": "Chrom|CriOS",
    "Safari": "Safari",
}
_SYSTEMS: Final = {
    "Windows": "Windows",
    "Android": "Android",
    "iOS": "iPhone|iPad",
    "macOS": "Macintosh",
    "ChromeOS": "CrOS",
    "Linux": "Linux",
}
_BROWSER_KEY: Final = "browser"


class SessionStore(DatabaseStore):
    @classmethod
    def get_model_class(cls) -> type[WebSession]:
        return WebSession

    def load(self) -> dict[str, Any]:
        row: WebSession | None = self._get_session_from_db()  # type: ignore[attr-defined]
        if row is None:
            return {}
        if row.user_id is not None and row.active_at != this_hour():
            WebSession.objects.filter(pk=row.pk).update(active_at=this_hour())
        return self.decode(row.session_data)

    def create_model_instance(self, data: dict[str, Any]) -> WebSession:
        row: WebSession = super().create_model_instance(data)  # type: ignore[assignment]
        row.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        row.browser, row.active_at = data.get(_BROWSER_KEY, ""), this_hour()
        return row


def this_hour() -> datetime.datetime:
    return timezone.now().replace(minute=0, second=0, microsecond=0)


def begin(sender: object, request: HttpRequest, user: User, **_more: Any) -> None:
    """Note at a login which browser it is, and let the session end at a fixed time, however much it is used."""
    request.session[_BROWSER_KEY] = browser_words(request.headers.get("User-Agent", ""))
    request.session.set_expiry(timezone.now() + datetime.timedelta(seconds=settings.SESSION_COOKIE_AGE))


def browser_words(user_agent: str) -> str:
    """Return the family of a browser and its system, such as "Firefox, Linux"; empty if it tells neither."""
    found = [
        next((name for name, pattern in names.items() if re.search(pattern, user_agent)), "")
        for names in (_BROWSERS, _SYSTEMS)
    ]
    return ", ".join(filter(None, found))


def sessions_of(person: User) -> QuerySet[WebSession]:
    return WebSession.objects.filter(user=person, expire_date__gt=timezone.now()).order_by("-active_at", "pk")


def handle(session: WebSession) -> str:
    """Return a name of a session that a page may show: its key would let anybody in who reads the page."""
    return salted_hmac("reports.accounts.sessions", session.pk, algorithm="sha256").hexdigest()[:32]


def end(person: User, name: str) -> bool:
    """End the session of this `handle`, if it is one of the person's. Returns whether there was one."""
    found = [session for session in sessions_of(person) if constant_time_compare(handle(session), name)]
    return bool(WebSession.objects.filter(pk__in=[session.pk for session in found]).delete()[0])


def end_others(person: User, kept: str | None) -> int:
    """End all sessions of a person but that of one key, and revoke their tokens. Returns how many ended."""
    revoke_tokens(person)
    return WebSession.objects.filter(user=person).exclude(pk=kept or "").delete()[0]


def revoke_tokens(person: User) -> None:
    ApiToken.objects.filter(person=person, revoked=False).update(revoked=True)
