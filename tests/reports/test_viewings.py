"""The log of who looked: what it keeps, and for how long."""

import datetime
from typing import get_args

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import AnonymousUser, User
from django.utils import timezone
from pytest_django import Settings

from ldpsite.celery import app
from reports import viewings
from reports.accounts.tasks import forget_old_traces
from reports.models import ApiToken, FailedLogins, UseCase, Viewing
from reports.models.uploads import utc_today
from reports.privacy.readers import looked_at
from tests.reports.factories import make_version

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
def use_case(db: None) -> UseCase:
    return make_version().use_case


def look(use_case: UseCase, *days_ago: float) -> None:
    for days in days_ago:
        viewings.record_viewing(AnonymousUser(), use_case, "page")
        newest = Viewing.objects.latest("pk")
        Viewing.objects.filter(pk=newest.pk).update(at=timezone.now() - datetime.timedelta(days=days))


def test_who_what_and_when_are_kept_and_nothing_else(use_case: UseCase, bob: User) -> None:
    token, _secret = ApiToken.create("dashboard", may_read=True)
    viewings.record_viewing(bob, use_case, "page")
    viewings.record_viewing(token, use_case, "api")
    kept = Viewing.objects.order_by("pk").values("user", "token", "use_case", "what")
    assert list(kept) == [
        {"user": bob.pk, "token": None, "use_case": use_case.pk, "what": "page"},
        {"user": None, "token": token.pk, "use_case": use_case.pk, "what": "api"},
    ]
    assert {field.name for field in Viewing._meta.fields} == {
        *("id", "user", "token", "use_case", "training_task", "what", "at"),
    }


def test_everything_that_is_noted_has_words() -> None:
    assert set(viewings.IN_WORDS) == set(get_args(viewings.What))


def test_how_often_somebody_looked_of_late(use_case: UseCase, bob: User) -> None:
    other = make_version(slug="other").use_case
    look(use_case, 0, 1, 29.9, 30.1, 100)
    look(other, 5)
    viewings.record_viewing(bob, use_case, "csv")
    assert viewings.recent(use_case) == {"csv": 1, "page": 3}
    assert viewings.recent(use_case, days=1) == {"csv": 1, "page": 1}
    assert viewings.recent(use_case, days=365) == {"csv": 1, "page": 5}
    assert viewings.recent(other) == {"page": 1}


def test_the_privacy_page_speaks_of_no_more_days_than_the_log_has(use_case: UseCase, settings: Settings) -> None:
    look(use_case, 0, 20, 100)
    assert looked_at(use_case) == {"days": 30, "times": 2, "by": {"page": 2}}
    settings.LDPSITE_VIEWING_DAYS = 10
    assert looked_at(use_case) == {"days": 10, "times": 1, "by": {"page": 1}}


def test_a_year_is_the_default() -> None:
    assert django_settings.LDPSITE_VIEWING_DAYS == 365


def test_old_ones_are_forgotten_by_a_task(use_case: UseCase, settings: Settings) -> None:
    settings.LDPSITE_VIEWING_DAYS = 10
    look(use_case, 0, 9.9, 10.1, 400)
    for days, digest in ((0, b"a" * 32), (5, b"b" * 32)):
        FailedLogins.objects.create(
            account_hmac=digest, failures=1, last_on=utc_today() - datetime.timedelta(days=days)
        )
    forget_old_traces()
    assert Viewing.objects.count() == 2
    assert [bytes(row.account_hmac) for row in FailedLogins.objects.all()] == [b"a" * 32]


def test_the_task_is_scheduled_and_known_to_workers() -> None:
    app.loader.import_default_modules()
    name = forget_old_traces.name
    assert name in app.tasks
    assert name in {entry["task"] for entry in django_settings.CELERY_BEAT_SCHEDULE.values()}
