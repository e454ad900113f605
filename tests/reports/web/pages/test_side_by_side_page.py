"""Two use cases side by side: who may see them, of which days, and what is said of either."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from reports.models import Version, Viewing
from reports.web.pages import side_by_side_page
from tests.conftest import logged_in
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send
from tests.reports.web.pages.reading import text_of as text
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ADDRESS = reverse("side_by_side", args=["fruits"])


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
def as_bob(bob: User) -> Client:
    define_twins()
    return logged_in(bob)


def test_the_first_sentence_says_why_one_would_use_the_one_that_shows_less(as_bob: Client) -> None:
    page = as_bob.get(ADDRESS, {"locale": "en_US"})
    few, many = page.context["sides"]
    assert (few.title, many.title) == ("Fruits", "Fruits, hashed")
    assert few.total < many.total
    shown = text(page)
    first = (
        f"Why would anybody use “Fruits”, which shows {few.total} elements where “Fruits, hashed” shows {many.total}?"
        " Because crafted reports do less to it: each adds up to 1.04 reports to an element, and up to 2.05 to"
        " the other."
    )
    assert first in shown
    assert shown.index(first) < shown.index("Beside “Fruits”") < shown.index("Element by element")
    assert "Without one of these reasons, take “Fruits, hashed”." in shown
    assert "gives away less" not in shown
    # Over the days that both have.
    assert [side.histogram.n for side in (few, many)] == [100, 100]
    labels = {label: [value for _name, value in values] for label, values in page.context["facts"]}
    assert labels["One crafted report adds at most"] == ["1.04 reports", "2.05 reports"]
    assert labels["Mechanism"] == ["Hadamard Count Mean Sketch", "Local hashing"]
    # Both were looked at.
    assert set(Viewing.objects.values_list("use_case__slug", flat=True)) == {"fruits", "fruits-hashed"}


def test_elements_stand_under_their_use_case_also_on_narrow_screens(as_bob: Client) -> None:
    body = as_bob.get(ADDRESS, {"locale": "en_US"}).content.decode()
    assert 'aria-current="page">Side by side</a>' in body
    assert '<span class="quiet">below the threshold</span>' in body
    assert body.count('data-label="Local hashing"') == body.count('data-label="Hadamard Count Mean Sketch"') > 10
    assert "The other" not in body


def test_more_than_twenty_elements_are_folded_away(as_bob: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side_page, "FIRST_ROWS", 2)
    page = as_bob.get(ADDRESS, {"locale": "en_US"})
    rest = len(page.context["more_lines"])
    assert (len(page.context["first_lines"]), rest) == (2, page.context["sides"][1].total - 2)
    assert f"The other {rest} element" in text(page)


# --- The demo's twins ---

OLDER, NEWER = "web-energy", "web-energy-local-hashing"


@pytest.fixture
def twins(as_bob: Client, settings: Any) -> Client:
    settings.LDPSITE_DEMO = True
    for slug in (OLDER, NEWER):
        define(slug=slug, title=f"Title of {slug}")
    return as_bob


def test_twins_of_the_demo_are_linked_from_each_other(twins: Client, settings: Any) -> None:
    older, newer = (text(twins.get(reverse("use_case", args=[slug]))) for slug in (OLDER, NEWER))
    assert (
        f"“Title of {NEWER}” asks the same by a newer mechanism. Both side by side, and why anybody would use" in older
    )
    assert f"“Title of {OLDER}” asks the same by an older mechanism." in newer
    for slug in (OLDER, NEWER):
        address = reverse("side_by_side", args=[slug])
        # And not “Fruits, hashed”, which has the same dictionary, too.
        chosen = [choice.value for choice in twins.get(address).context["others"] if choice.current]
        assert chosen == [OLDER if slug == NEWER else NEWER]
    settings.LDPSITE_DEMO = False
    assert "asks the same" not in text(twins.get(reverse("use_case", args=[OLDER])))


def test_a_twin_that_the_reader_may_not_see_is_not_mentioned(twins: Client) -> None:
    define(slug=NEWER, title="Secret", viewer_groups=["nobody"], owner_group="nobody")
    shown = text(twins.get(reverse("use_case", args=[OLDER])))
    assert "asks the same" not in shown
    assert "Side by side" not in shown


def test_other_use_cases_have_no_twin(as_bob: Client, settings: Any) -> None:
    settings.LDPSITE_DEMO = True
    assert "Side by side" not in text(as_bob.get(reverse("use_case", args=["fruits"])))


# --- What may stand beside what ---


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
