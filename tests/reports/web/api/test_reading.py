"""Reads: parameters that they do not have are refused, and what has not changed is not sent again."""

import pytest
from django.test import Client

from reports.models import Version, Viewing
from reports.web.api.api_urls import urlpatterns
from tests.promises.addresses import addresses
from tests.promises.conftest import World

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

HISTOGRAM = "/api/v1/use-cases/fruits/histogram/"
# Devices read it, who send no parameters; and what is sent.
OTHERS = {
    *("api_device_configuration", "api_reports", "api_upload"),
    *("api_open_rounds", "api_training_rows", "api_contributions"),
}


def test_every_read_refuses_what_it_does_not_know_and_has_an_entity_tag(world: World, as_root: Client) -> None:
    names = {route.name for route in urlpatterns if route.name} - OTHERS
    assert len(names) >= 9
    for each in addresses():
        if (name := each.name) not in names:
            continue
        address = world.path(each)
        unknown = as_root.get(f"{address}{'&' if '?' in address else '?'}locle=fr_FR")
        assert (unknown.status_code, "locle" in unknown.json()["detail"]) == (400, True), name
        first = as_root.get(address)
        assert first.status_code == 200, name
        again = as_root.get(address, headers={"if-none-match": first.headers["ETag"]})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", first.headers["ETag"]), name
        assert as_root.get(address, headers={"if-none-match": '"other"'}).status_code == 200


def test_the_sentence_names_the_unknown_and_the_known(version: Version, as_bob: Client) -> None:
    sentence = as_bob.get("/api/v1/use-cases/fruits/windows/?locle=fr_FR&<x>=1").json()["detail"]
    assert sentence == "query: There is no parameter …, locle here. Those that there are: version, locale, page."
    sentence = as_bob.get("/api/v1/schema/?format=yaml").json()["detail"]
    assert sentence == "query: This address takes no parameters, and not format."


def test_another_answer_has_another_tag_and_a_problem_none_that_counts(world: World, as_alice: Client) -> None:
    tags = {as_alice.get(HISTOGRAM, query).headers["ETag"] for query in ({}, {"locale": "fr_FR"}, {"top": "1"})}
    assert len(tags) == 3
    wrong = as_alice.get(HISTOGRAM, {"locale": "xx"}, headers={"if-none-match": "*"})
    assert wrong.status_code == 400


def test_it_is_noted_who_read_what_was_not_sent_again(world: World, as_alice: Client) -> None:
    tag = as_alice.get(HISTOGRAM).headers["ETag"]
    Viewing.objects.all().delete()
    assert as_alice.get(HISTOGRAM, headers={"if-none-match": tag}).status_code == 304
    assert Viewing.objects.filter(user=world.owner, what="api").count() == 1
