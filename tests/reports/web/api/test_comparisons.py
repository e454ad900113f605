"""Comparisons for programs: as described, and as the page has them. Who may read them is decided as for histograms."""

import pytest
from django.test import Client

from reports.models import Version
from tests.reports.comparing import EATEN, send_shares
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send_words
from tests.reports.web.api.described import departure
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ADDRESS = "/api/v1/use-cases/{}/comparison/"


@pytest.fixture
@once
def both(db: None) -> Version:
    version = define()
    for seed, locale in enumerate(EATEN):
        send_shares(version, 1000, locale=locale, day=days_ago(1), seed=seed)
    aggregate(version)
    return version


def test_every_kind_of_comparison_is_as_described(both: Version, as_bob: Client) -> None:
    words = define_words(alphabet={"en_US": "abeilost", "fr_FR": "abeilosté"})
    send_words(words, 600, words={"lol": 0.6, "able": 0.4}, day=days_ago(1))
    send_words(words, 600, locale="fr_FR", words={"lol": 0.4, "bébé": 0.6}, day=days_ago(1))
    aggregate(words)
    verdicts = set()
    for slug in (both.use_case.slug, words.use_case.slug):
        answer = as_bob.get(ADDRESS.format(slug)).json()
        assert not departure(answer, "Comparison")
        verdicts |= {entry["verdict"] for entry in answer["entries"]}
        assert departure(answer | {"device": "x"}, "Comparison")
    assert verdicts >= {"more-in-first", "more-in-second", "not-comparable"}


def test_it_is_the_file_of_the_page(both: Version, as_bob: Client) -> None:
    query = "?locale=fr_FR&sort=-first&top=2"
    assert (
        as_bob.get(ADDRESS.format("fruits") + query).json()
        == as_bob.get(f"/use-cases/fruits/comparison.json{query}").json()
    )


def test_what_cannot_be_compared_is_a_problem_with_a_name(both: Version, as_bob: Client) -> None:
    day = days_ago(1)
    for query, status, name in (
        ("other-locale=xx", 400, "bad-parameter"),
        ("other-days=0", 400, "bad-parameter"),
        (f"from={days_ago(9)}&to={days_ago(8)}", 404, "not-yet"),
        (f"from={day}&to={day}&other-locale=en_US&other-from={day}&other-to={day}", 404, "same-reports"),
    ):
        answer = as_bob.get(f"{ADDRESS.format('fruits')}?{query}")
        assert (answer.status_code, answer.json()["type"]) == (status, f"urn:ldpsite:problem:{name}"), query
