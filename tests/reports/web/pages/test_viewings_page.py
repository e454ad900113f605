"""Owners read who looked at the results of their use cases, whether or not they may enter the admin."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.formats import date_format

from reports.models import ApiToken, UseCase, Viewing
from reports.web.pages import viewings_page
from tests.reports.factories import make_version
from tests.reports.small_fleet import define
from tests.reports.web.pages.reading import text_of

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
def fruits(db: None) -> UseCase:
    return define().use_case


def log(use_case: UseCase) -> str:
    return reverse("viewings", args=[use_case.slug])


def test_owners_see_who_looked_at_what_and_when(client: Client, alice: User, bob: User, fruits: UseCase) -> None:
    client.force_login(alice)
    assert "The log has no entry" in text_of(client.get(log(fruits)))
    token, _secret = ApiToken.create("collector", may_read=True, use_cases=[fruits])
    Viewing.objects.create(user=bob, use_case=fruits, what="csv")
    Viewing.objects.create(token=token, use_case=fruits, what="api")
    Viewing.objects.create(use_case=fruits, what="words")
    Viewing.objects.create(user=bob, use_case=make_version(slug="other").use_case, what="json")
    shown = text_of(client.get(log(fruits)))
    said = ("A deleted account or token list of accepted words", "API token collector API", "bob download as CSV")
    places = [shown.index(line) for line in said]
    assert places == sorted(places)  # the newest first
    assert "JSON" not in shown
    newest = Viewing.objects.filter(use_case=fruits).first()
    assert newest is not None
    assert date_format(newest.at, "DATETIME_FORMAT") in shown


def test_the_log_has_pages(
    client: Client, alice: User, bob: User, fruits: UseCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewings_page, "SHOWN", 2)
    for what in ("csv", "json", "page"):
        Viewing.objects.create(user=bob, use_case=fruits, what=what)
    client.force_login(alice)
    first, second = text_of(client.get(log(fruits))), text_of(client.get(f"{log(fruits)}?page=2"))
    assert "Page 1 of 2 Older" in first
    assert "CSV" not in first
    assert "Newer Page 2 of 2" in second
    assert "JSON" not in second
    assert "CSV" in second


def test_it_is_not_there_for_viewers_and_owners_are_led_to_it(
    client: Client, alice: User, bob: User, fruits: UseCase
) -> None:
    for person, status in ((bob, 404), (alice, 200)):
        client.force_login(person)
        assert client.get(log(fruits)).status_code == status
        # There are no results yet: readers of earlier ones are in the log all the same.
        page = client.get(reverse("use_case", args=[fruits.slug])).content.decode()
        assert (log(fruits) in page) == (status == 200)
