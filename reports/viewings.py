"""Log of viewings: which person or program saw which results, and when, never from where. It is kept for some time."""

import datetime
from collections.abc import Collection
from typing import Literal, TypeAlias

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from reports.access import Person
from reports.models import ApiToken, TrainingTask, UseCase, Viewing

What: TypeAlias = Literal[
    "page",
    "export",
    "csv",
    "json",
    "parquet",
    "api",
    "words",
    "admin",
    "embed",
    "mail",
    "webhook",
    "card",
    "search",
    "model",
]
Subject: TypeAlias = UseCase | TrainingTask

IN_WORDS = {
    "page": _("page with results"),
    "csv": _("download as CSV"),
    "json": _("download as JSON"),
    "parquet": _("download as Parquet"),
    "api": _("API"),
    "words": _("list of accepted words"),
    "admin": _("admin"),
    # By strangers: the person is who made the link. The first time on a day: a link may be opened for ever.
    "embed": _("embedded page, opened by a link that this person made"),
    # Sent to the person, or to where they wanted it.
    "export": _("results written to where all are exported"),
    "mail": _("news by e-mail"),
    "webhook": _("news to a webhook"),
    # The first time on a day: it is where everybody begins, and a page that asks again by itself while a run goes on.
    "card": _("top three on the front page"),
    # Only the first on a day: the page asks again with each letter typed.
    "search": _("shares of elements that a search found"),
    "model": _("trained model, or its card"),
}


def record_viewing(person: Person, subject: Subject, what: What) -> None:
    """Note that a person or program saw results: a histogram, wherever, discovered words, or figures of training."""
    Viewing.objects.create(
        **_who(person),
        what=what,
        use_case=subject if isinstance(subject, UseCase) else None,
        training_task=subject if isinstance(subject, TrainingTask) else None,
    )


def record_export(use_case: UseCase) -> None:
    """Note that the site wrote results of a use case to where others may read them."""
    Viewing.objects.create(use_case=use_case, what="export")


def record_viewings(person: Person, use_cases: Collection[UseCase], what: What) -> None:
    """Note that a person or program saw results of several use cases at once."""
    who = _who(person)
    Viewing.objects.bulk_create(Viewing(**who, use_case=use_case, what=what) for use_case in use_cases)


def _who(person: Person) -> dict[str, Person | None]:
    return {
        "user": person if isinstance(person, User) else None,
        "token": person if isinstance(person, ApiToken) else None,
    }


def record_once_a_day(person: User, subjects: Collection[UseCase] | Collection[TrainingTask], what: What) -> None:
    """Record a viewing of each of several use cases, or of several training tasks, that has none today."""
    if not subjects:
        return
    field = "use_case" if isinstance(next(iter(subjects)), UseCase) else "training_task"
    today = timezone.now().astimezone(datetime.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    seen = Viewing.objects.filter(user=person, what=what, at__gte=today, **{f"{field}__in": subjects})
    noted = set(seen.order_by().values_list(field, flat=True))
    Viewing.objects.bulk_create(
        Viewing(user=person, what=what, **{field: each}) for each in subjects if each.pk not in noted
    )


def recent(use_case: UseCase, days: int = 30) -> dict[str, int]:
    """Count the viewings of a use case's results in the last days, by kind."""
    seen = use_case.viewings.filter(at__gt=timezone.now() - datetime.timedelta(days=days))
    return dict(seen.order_by("what").values_list("what").annotate(times=Count("pk")))


def forget_old_viewings() -> None:
    """Delete viewings whose time is over."""
    oldest = timezone.now() - datetime.timedelta(days=settings.LDPSITE_VIEWING_DAYS)
    Viewing.objects.filter(at__lt=oldest).delete()
