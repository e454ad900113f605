"""The log of who looked at what: which person or program, and when, never from where. It is kept for some time."""

import datetime
from typing import Literal, TypeAlias

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from reports.access import Person
from reports.models import ApiToken, UseCase, Viewing

What: TypeAlias = Literal["page", "csv", "json", "api", "words", "admin"]

IN_WORDS = {
    "page": _("page with results"),
    "csv": _("download as CSV"),
    "json": _("download as JSON"),
    "api": _("API"),
    "words": _("list of accepted words"),
    "admin": _("admin"),
}


def record_viewing(person: Person, use_case: UseCase, what: What) -> None:
    """Note that somebody saw results: a histogram on a page, as an export or through the API, or discovered words."""
    Viewing.objects.create(
        user=person if isinstance(person, User) else None,
        token=person if isinstance(person, ApiToken) else None,
        use_case=use_case,
        what=what,
    )


def recent(use_case: UseCase, days: int = 30) -> dict[str, int]:
    """How often somebody looked at the results of a use case in the last days, by what it was."""
    seen = use_case.viewings.filter(at__gt=timezone.now() - datetime.timedelta(days=days))
    return dict(seen.order_by("what").values_list("what").annotate(times=Count("pk")))


def forget_old_viewings() -> None:
    """Delete those whose time is over."""
    oldest = timezone.now() - datetime.timedelta(days=settings.LDPSITE_VIEWING_DAYS)
    Viewing.objects.filter(at__lt=oldest).delete()
