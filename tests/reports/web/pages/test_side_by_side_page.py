"""Two use cases side by side: who may see them, of which days, and what is said of either."""

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from reports.models import Version, Viewing
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ADDRESS = reverse("side_by_side", args=["fruits"])


def text(response: Any) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", response.content.decode())).split())


@once
def define_twins() -> Version:
    """Fruits by a sketch of signs, with much noise, and of one day more by local hashing."""
    shape: dict[str, Any] = {"seed": "0f" * 16, "epsilon": 4}
    few: dict[str, Any] = {"minimum_reports": 50}
    signs = define(algorithm="HadamardCountMeanSketch", parameters={**shape, "k": 64, "m": 64}, **few)
    hashed = {"slug": "fruits-hashed", "title": "Fruits, hashed", "algorithm": "LocalHashing"}
    local = define(**hashed, parameters={**shape, "k": 4096, "g": 56}, **few)
    for version, days in ((signs, (1, 2)), (local, (1, 2, 3))):
        for day in days:
            send(version, 50, day=days_ago(day), seed=day + 10)
        aggregate(version)
    define(slug="private", title="Private", viewer_groups=["nobody"], owner_group="nobody")
    define_words()
    define(slug="vegetables", title="Vegetables", dictionary=["leek", "onion"], **few)
    return local


@pytest.fixture
def as_bob(bob: User, login: Callable[[User], Client]) -> Client:
    define_twins()
    return login(bob)


def test_a_twin_is_shown_unless_another_is_asked_for(as_bob: Client) -> None:
    page = as_bob.get(ADDRESS, {"locale": "en_US"})
    few, many = page.context["sides"]
    assert (few.title, many.title) == ("Fruits", "Fruits, hashed")
    assert few.total < many.total
    shown = text(page)
    assert f"Elements that “Fruits” shows: {few.total}. “Fruits, hashed”: {many.total}." in shown
    # Of the days that both have.
    assert [side.histogram.n for side in (few, many)] == [100, 100]
    assert "below the threshold" in shown
    labels = [label for label, _values in page.context["facts"]]
    assert {"Mechanism", "Reports", "Elements shown", "One crafted report adds at most"} <= set(labels)
    # Both were looked at.
    assert set(Viewing.objects.values_list("use_case__slug", flat=True)) == {"fruits", "fruits-hashed"}


def test_what_speaks_for_the_one_that_shows_less_is_said(as_bob: Client) -> None:
    reasons = " ".join(as_bob.get(ADDRESS, {"locale": "en_US"}).context["reasons"])
    assert "Without one of these reasons, take the one that shows more." in reasons
    assert "Fakes do less: a crafted report adds at most 1.04 to an estimate, and with the other 2.05" in reasons
    assert "Each report gives away less" not in reasons


def test_others_are_offered_if_they_count_alike_and_may_be_seen(as_bob: Client, client: Client) -> None:
    page = as_bob.get(ADDRESS)
    assert [choice.value for choice in page.context["others"]] == ["fruits-hashed"]
    for slug in ("private", "fruits", "vegetables", "nothing"):
        assert as_bob.get(ADDRESS, {"with": slug}).status_code == 404
    assert client.get(ADDRESS).headers["Location"].startswith("/accounts/login/")


def test_days_without_results_and_wrong_ones_are_said(as_bob: Client) -> None:
    none = as_bob.get(ADDRESS, {"locale": "en_US", "from": "2020-01-01", "to": "2020-01-02"})
    assert "“Fruits” shows nothing of these days" in text(none)
    assert not Viewing.objects.exists()
    for wrong in ({"from": "soon"}, {"locale": "xx"}):
        assert as_bob.get(ADDRESS, wrong).status_code == 400


def test_a_use_case_that_no_database_could_have_is_not_found(as_bob: Client) -> None:
    assert as_bob.get(ADDRESS, {"with": "\0"}).status_code == 404
