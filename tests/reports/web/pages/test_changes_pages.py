"""The pages that say what changed: the finding first, then each change with its numbers, its verdict and its links."""

import html
import json
import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from reports.models import Subscription, Version, Viewing
from tests.reports.changed import two_weeks
from tests.reports.small_fleet import days_ago, define
from tests.reports.web.pages.reading import plain, text_of

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/changes/"


@pytest.fixture
def version(db: None) -> Version:
    return two_weeks()


def test_page_begins_with_the_finding_and_stays_relative(version: Version, as_bob: Client) -> None:
    page = as_bob.get(PAGE).content.decode()
    text = plain(page)
    assert "In the last 7 days banana in English (United States) fell most, from" in text
    assert "; 2 more changes are clear." in text
    assert "▲ up" in text
    assert "✚ new" in text
    assert "/api/v1/use-cases/fruits/changes/?from=" in page
    assert "use_case.changes(" in page
    assert as_bob.get(PAGE, {"days": "7", "locale": "", "top": "20"}).headers["Location"] == PAGE
    assert as_bob.get(PAGE, {"window": "28", "window-shown": "7"}).headers["Location"] == f"{PAGE}?days=28"
    assert Viewing.objects.filter(what="page").count() == 1


def test_links_lead_to_the_same_windows_side_by_side(version: Version, as_bob: Client) -> None:
    page = as_bob.get(PAGE).content.decode()
    links = [unescape(part.partition('"')[0]) for part in page.split('href="')]
    there = next(link for link in links if link.startswith("/use-cases/fruits/compare/?"))
    answer = as_bob.get(there, follow=True)
    assert answer.status_code == 200
    assert "banana" in answer.content.decode()
    assert f"from={days_ago(5).isoformat()}&to={days_ago(1).isoformat()}" in urlsplit(there).query


def test_files_and_api_have_the_rows_of_the_page(version: Version, as_bob: Client) -> None:
    document = json.loads(as_bob.get("/use-cases/fruits/changes.json").content)
    assert [entry["change"] for entry in document["entries"][:3]] == ["down", "up", "new"]
    answer = as_bob.get("/api/v1/use-cases/fruits/changes/").json()
    assert answer == document
    assert as_bob.get(urlsplit(document["address"]).path).status_code == 200
    lines = as_bob.get("/use-cases/fruits/changes.csv").getvalue().decode().splitlines()
    assert len(lines) == 1 + document["listed"]
    alone = as_bob.get("/api/v1/use-cases/fruits/changes/", {"to": days_ago(9).isoformat(), "days": "1"}).json()
    assert (alone["entries"], alone["windows"][0]["before"]) == ([], None)
    missing = as_bob.get("/api/v1/use-cases/fruits/changes/", {"to": days_ago(40).isoformat()})
    assert (missing.status_code, missing.json()["state"]) == (404, "not-yet")


def test_site_tells_of_use_cases_that_one_may_see_and_no_others(version: Version, as_bob: Client) -> None:
    define(slug="vegetables", title="Vegetables")
    define(slug="flowers", title="Flowers", owner_group="gardeners", viewer_groups=["gardeners"])
    text = text_of(as_bob.get("/changes/"))
    assert "3 changes are clear in the newest week, in 1 of 1 use case." in text
    assert "Nothing to compare yet" in text
    assert "Vegetables" in text
    assert "Flowers" not in text
    document = json.loads(as_bob.get("/changes.json").content)
    assert [entry["change"] for entry in document["entries"]] == ["down", "up", "new"]
    assert {entry["use_case"] for entry in document["entries"]} == {"fruits"}
    assert [each["use_case"] for each in document["use_cases"]] == ["fruits"]
    assert as_bob.get("/api/v1/changes/").json() == document
    assert len(as_bob.get("/changes.csv").getvalue().decode().splitlines()) == 1 + document["clear"]
    assert list(Viewing.objects.values_list("what", flat=True).order_by("pk")) == ["page", "json", "api", "csv"]


def test_subscription_begins_with_changes(version: Version, as_bob: Client, bob: User, settings: Settings) -> None:
    settings.EMAIL_HOST, bob.email = "mail.example.org", "bob@example.org"
    bob.save()
    (link,) = re.findall(r'href="(/subscriptions/[^"]*)"[^>]*>Tell me about news', as_bob.get(PAGE).content.decode())
    page = as_bob.get(html.unescape(link)).content.decode()
    box = next(part.partition(">")[0] for part in page.split("<input") if 'name="significant_change"' in part)
    assert "checked" in box
    assert not Subscription.objects.exists()
