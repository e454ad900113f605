"""Comparisons for programs: as described, for whoever may read, and as the page has them."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.models import ApiToken, Version, Viewing
from tests.reports.comparing import EATEN, send_shares
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send_words
from tests.reports.web.api.described import departure
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ADDRESS = "/api/v1/use-cases/{}/comparison/"


def token(name: str = "reader", **rights: Any) -> Client:
    _token, secret = ApiToken.create(name, **rights)
    return Client(headers={"authorization": f"Bearer {secret}"})


@pytest.fixture
@once
def both(db: None) -> Version:
    version = define()
    for seed, locale in enumerate(EATEN):
        send_shares(version, 1000, locale=locale, day=days_ago(1), seed=seed)
    aggregate(version)
    return version


def test_every_kind_of_comparison_is_as_described(both: Version, bob: User) -> None:
    words = define_words(alphabet={"en_US": "abeilost", "fr_FR": "abeilosté"})
    send_words(words, 600, words={"lol": 0.6, "able": 0.4}, day=days_ago(1))
    send_words(words, 600, locale="fr_FR", words={"lol": 0.4, "bébé": 0.6}, day=days_ago(1))
    aggregate(words)
    client = Client()
    client.force_login(bob)
    verdicts = set()
    for slug in (both.use_case.slug, words.use_case.slug):
        answer = client.get(ADDRESS.format(slug)).json()
        assert not departure(answer, "Comparison")
        verdicts |= {entry["verdict"] for entry in answer["entries"]}
        assert departure(answer | {"device": "x"}, "Comparison")
    assert verdicts >= {"more-in-first", "more-in-second", "not-comparable"}


def test_it_is_the_file_of_the_page(both: Version, bob: User) -> None:
    client = Client()
    client.force_login(bob)
    query = "?locale=fr_FR&sort=-first&top=2"
    assert (
        client.get(ADDRESS.format("fruits") + query).json()
        == client.get(f"/use-cases/fruits/comparison.json{query}").json()
    )


def test_who_may_read_it(both: Version, charlie: User) -> None:
    address = ADDRESS.format("fruits")
    assert Client().get(address).status_code == 401
    stranger = Client()
    stranger.force_login(charlie)
    assert stranger.get(address).status_code == 404
    assert token("sender", may_ingest=True, use_cases=[both.use_case]).get(address).status_code == 404
    other = define(slug="vegetables", title="Vegetables").use_case
    assert token("stranger", may_read=True, use_cases=[other]).get(address).status_code == 404
    assert not Viewing.objects.exists()
    assert token(may_read=True, use_cases=[both.use_case]).get(address).status_code == 200
    assert Viewing.objects.get().what == "api"


def test_what_cannot_be_compared_is_a_problem_with_a_name(both: Version) -> None:
    reader = token(may_read=True, use_cases=[both.use_case])
    day = days_ago(1)
    for query, status, name in (
        ("other-locale=xx", 400, "bad-parameter"),
        ("other-days=0", 400, "bad-parameter"),
        (f"from={days_ago(9)}&to={days_ago(8)}", 404, "not-yet"),
        (f"from={day}&to={day}&other-locale=en_US&other-from={day}&other-to={day}", 404, "same-reports"),
    ):
        answer = reader.get(f"{ADDRESS.format('fruits')}?{query}")
        assert (answer.status_code, answer.json()["type"]) == (status, f"urn:ldpsite:problem:{name}"), query
