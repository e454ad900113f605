"""In which steps a trend opens, and that every choice has one address that keeps it."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.embedding import make_token
from reports.formatting import day_range
from reports.models import Version
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day
from tests.reports.web.pages.controls import sent_by
from tests.reports.web.pages.reading import links, text_of
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/trend/"


@pytest.fixture
@once
def noisy() -> Version:
    """Six weeks of days whose intervals are wide."""
    version = define()
    for back in range(1, 43):
        publish_day(version, back, {"apple": 200})
    return version


def step(response: Any) -> str:
    found = re.search(r'<select id="step".*?<option value="(\d)" selected>', response.content.decode(), re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.usefixtures("noisy")
def test_trend_of_noisy_days_opens_in_weeks(as_bob: Client) -> None:
    page = as_bob.get(PAGE)
    assert step(page) == "7"
    assert as_bob.get(f"{PAGE}?step=7")["Location"] == PAGE
    days = as_bob.get(f"{PAGE}?step=1")
    assert (days.status_code, step(days)) == (200, "1")
    assert step(as_bob.get(f"{PAGE}?days=7")) == "1"
    # Answers to other programs do not depend on noise.
    assert as_bob.get("/use-cases/fruits/trend.json").json()["step"] == 1


@pytest.mark.usefixtures("noisy")
def test_links_to_other_days_keep_the_step(as_bob: Client) -> None:
    for address in (PAGE, f"{PAGE}?step=1", f"{PAGE}?days=7", f"{PAGE}?step=7&days=28"):
        page = as_bob.get(address)
        options = [value for value in links(page).values() if not value.startswith("?")]
        assert len(options) >= 2
        for value in options:
            answer = as_bob.get(PAGE, sent_by(page, window=value), follow=True)
            assert (answer.status_code, step(answer)) == (200, step(page)), value


def test_trend_of_days_that_are_clear_opens_in_days(as_bob: Client) -> None:
    version = define()
    for back in range(1, 22):
        publish_day(version, back, {"apple": 5000})
    assert step(as_bob.get(PAGE)) == "1"
    assert as_bob.get(f"{PAGE}?step=1")["Location"] == PAGE
    assert step(as_bob.get(f"{PAGE}?step=7")) == "7"


def test_embedded_trend_opens_as_its_page_does(noisy: Version, alice: User, client: Client, settings: Any) -> None:
    settings.LDPSITE_EMBED_ORIGINS = ["https://wiki.example.org"]
    token = make_token(alice, noisy.use_case, "trend", "", 7)
    sunday = days_ago(0).isoweekday()
    assert day_range(days_ago(sunday + 6), days_ago(sunday)) in text_of(client.get(f"/embed/{token}/"))
