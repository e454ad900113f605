"""What opening an embedded page tells a stranger's browser, leaves behind, and does not do."""

import datetime
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from reports.models import Histogram, Run, Viewing
from tests.reports.web.pages.embed.links import opened, reports_shown, token_of

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def policy(answer: Any) -> str:
    return str(answer.headers["Content-Security-Policy"])


@pytest.mark.parametrize("kind", ["shown", "invalid", "expired"])
def test_headers(published: Run, alice: User, kind: str, settings: Settings) -> None:
    token = {"shown": token_of(alice), "invalid": "x", "expired": token_of(alice, days=-1)}[kind]
    answer = opened(token)
    assert "frame-ancestors https://wiki.example.org https://*.example.com;" in policy(answer)
    assert "default-src 'self';" in policy(answer)
    assert "X-Frame-Options" not in answer.headers
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert "private" in answer.headers["Cache-Control"]
    assert not answer.cookies
    assert "Cookie" not in answer.headers.get("Vary", "")
    settings.LDPSITE_EMBED_ORIGINS = []
    assert "frame-ancestors 'none';" in policy(opened(token))


def test_it_leads_nowhere(published: Run, alice: User) -> None:
    """No link, no form, no header of the site; and it is the same for who is logged in."""
    text = opened(token_of(alice)).content.decode()
    assert not re.search(r"<(a|form|button|input|nav)\b", text)
    client = Client()
    client.force_login(alice)
    assert "alice" not in client.get(reverse("embed", args=[token_of(alice)])).content.decode()


def test_opening_often_is_noted_once_a_day(published: Run, alice: User) -> None:
    """Whoever has the link could fill the log of its maker else."""
    token = token_of(alice)
    assert [opened(token).status_code for _ in range(3)] == [200] * 3
    assert Viewing.objects.count() == 1
    Viewing.objects.update(at=timezone.now() - datetime.timedelta(days=1))
    opened(token)
    assert Viewing.objects.count() == 2


def test_strangers_see_any_window_as_everybody_does(published: Run, alice: User, as_bob: Client) -> None:
    """What is shown depends on periods alone, not on who has looked before."""
    first, last = published.first_day.isoformat(), published.last_day.isoformat()
    window = f"from={first}&to={last}"
    Histogram.objects.all().delete()
    assert reports_shown(opened(token_of(alice, window))) == "800"
    sides = f"locale=en_US&{window}&other-locale=en_US&other-from={first}&other-to={first}"
    for page, query in (("use_case", "days=2"), ("compare", sides), ("trend", "element=apple")):
        assert opened(token_of(alice, query, page=page)).status_code == 200
