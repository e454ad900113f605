"""The privacy pages: who may read them, that page and JSON say the same, and what strangers are told."""

import html
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.formats import date_format

from reports.formatting import day_range
from reports.models import BudgetGroup, Deletion, DroppedReports, Run, UseCase, Version, Viewing
from tests.conftest import logged_in
from tests.reports.factories import SEED, apply, definition
from tests.reports.small_fleet import days_ago, define, define_words, send
from tests.reports.web.pages.reading import words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE, FILE = "/use-cases/fruits/privacy/", "/use-cases/fruits/privacy.json"
SITE, SITE_FILE = "/privacy/", "/privacy.json"


def publish(slug: str = "fruits") -> None:
    UseCase.objects.filter(slug=slug).update(privacy_published=True)


def read(response: Any) -> str:
    """The text of a page, without marks."""
    assert response.status_code == 200
    body = re.sub(r"<[^>]*>", " ", response.content.decode().partition("<main")[2])
    return re.sub(r"\s+", " ", html.unescape(body)).replace("\u2068", "").replace("\u2069", "")


# --- Who may read ---


def test_unpublished_it_is_for_those_who_see_the_results(
    version: Version, alice: User, bob: User, charlie: User, client: Client
) -> None:
    for address in (PAGE, FILE):
        for person, status in ((alice, 200), (bob, 200), (charlie, 404)):
            assert logged_in(person).get(address).status_code == status
        response = client.get(address)
        assert response.status_code == 302
        assert response.headers["Location"] == f"{reverse('login')}?next={address}"


def test_published_everybody_may_read_it(version: Version, alice: User, charlie: User, client: Client) -> None:
    for address in (PAGE, FILE):
        publish()
        for reader in (logged_in(alice), logged_in(charlie), client):
            response = reader.get(address)
            assert response.status_code == 200
            assert "private" in response.headers["Cache-Control"]
            assert "Cookie" in response.headers["Vary"]
        assert not client.cookies
        UseCase.objects.update(privacy_published=False)
        assert client.get(address).status_code == 302


def test_whether_there_is_a_use_case_strangers_do_not_learn(version: Version, charlie: User, client: Client) -> None:
    for address in (PAGE, FILE):
        missing = address.replace("fruits", "none")
        assert logged_in(charlie).get(missing).status_code == logged_in(charlie).get(address).status_code == 404
        there, not_there = client.get(address), client.get(missing)
        assert there.status_code == not_there.status_code == 302
        assert there.headers["Location"].replace("fruits", "none") == not_there.headers["Location"]


def test_publishing_shows_nothing_else(version: Version, charlie: User, client: Client) -> None:
    publish()
    assert [client.post(address).status_code for address in (PAGE, FILE, SITE, SITE_FILE)] == [405] * 4
    for address in ("/use-cases/fruits/", "/use-cases/fruits/histogram.json", "/use-cases/fruits/dictionaries/"):
        assert logged_in(charlie).get(address).status_code == 404
        assert client.get(address).status_code == 302
    assert b"Fruits" not in logged_in(charlie).get("/").content


# --- Page and file ---


@pytest.fixture
@once
def eventful(published: Run, version: Version, alice: User) -> Version:
    """Something of everything: versions, deletions, dropped reports, viewings."""
    group = BudgetGroup.objects.create(name="fruit-salad", daily_limit=2)
    UseCase.objects.update(budget_group=group)
    rules = {"epsilon": 2.5, "k": 1024, "m": 64, "seed": "0e" * 16}
    define(parameters=rules, budget_group=group.name, daily_limit=2)
    for day, reports in ((100, 160), (101, 161)):
        Deletion.objects.create(version=version, day=days_ago(day), reports=reports, fewest=reports, reason="expired")
    DroppedReports.objects.create(version=version, locale="en_US", day=days_ago(3), reports=77)
    Viewing.objects.create(user=alice, use_case=version.use_case, what="csv")
    return Version.objects.get(number=2)


def without_sample(document: dict[str, Any]) -> dict[str, Any]:
    """A report is made anew each time; what is said about it stays."""
    report = document["report"]
    fields = [field | {"value": None} for field in report["fields"]]
    return document | {"report": report | {"record": None, "fields": fields}}


def test_the_file_says_what_the_page_says(eventful: Version, bob: User, charlie: User, client: Client) -> None:
    publish()
    for reader in (logged_in(bob), logged_in(charlie), client):
        page, file = reader.get(PAGE), reader.get(FILE)
        assert without_sample(page.context["document"]) == without_sample(file.json())
        assert file.headers["Content-Disposition"] == 'attachment; filename="privacy-fruits.json"'
        site_page, site_file = reader.get(SITE), reader.get(SITE_FILE)
        assert site_page.context["document"] == site_file.json()
        assert site_file.headers["Content-Disposition"] == 'attachment; filename="privacy.json"'


def test_every_fact_is_on_the_page(eventful: Version, as_bob: Client) -> None:
    text = read(as_bob.get(PAGE))
    for part in (
        "Privacy of “Fruits”",
        "The figures of version 2",
        "ε per report 2.5",
        "Reports per device and day, at most 2",
        # Version 1, ε = 8, still accepts reports.
        "ε per person and day, at most 16",
        "ε over the 104 days whose reports may be held at the same time, at most 1,664",
        "which cost more than these",
        "the budget group “fruit-salad”",
        "This is a report about example",
        "Which of 1,024 ways",
        "turned over with a probability of 22 %",
        "64 bits",
        "What ε covers",
        "What it does not cover",
        "All results, one report 100 1 2.5 local ε only",
        "All results, what one person sends on one day 100 2 5 local ε only",
        "Nothing is published about fewer than 100 reports, whichever devices sent them.",
        "the others hide among 50 only: too few to prove more than ε = 2.5",
        "Raw reports are deleted at most 104 days after they arrive: 90 are the retention, and up to 14 come before it",
        "were dropped, unread, on 1 day",
        f"{date_format(days_ago(0))} {day_range(days_ago(101), days_ago(100))} retention is over 321",
        "People who may see the results 2",
        "People who may change these settings 1",
        "Times looked at in the last 30 days 1",
        "By what: download as CSV 1",
        "keyboard sees 1",
        "keyboard-owners sees and changes 1",
        "Fakes: what is found, and what cannot be",
        f"Version 2: active, made on {date_format(days_ago(0))}",
        "ε 8 2.5",
        "seed of the hash functions",
        "Version 1: superseded, still accepting",
        "The first.",
    ):
        assert part in text, part
    assert "They were" not in text


def test_strangers_are_told_no_numbers_of_reports_and_no_names(
    eventful: Version, alice: User, client: Client, charlie: User
) -> None:
    publish()
    for reader in (client, logged_in(charlie)):
        page, file = reader.get(PAGE), reader.get(FILE)
        text = read(page)
        assert "All results, one report 100" in text
        assert "retention is over" in text
        # Without the report, whose numbers are random.
        without = re.sub("What a report contains.*What ε covers", "", text)
        for body in (without, json.dumps(without_sample(file.json()))):
            # Published windows of 800, 500 and 300 reports, of those deleted and those dropped.
            assert not re.search(r"\b(800|500|300|321|160|161|77)\b", body)
            for name in ("keyboard", "alice", "bob", "apple", "banana"):
                assert name not in body
        assert "How many" not in text
        assert "People who may see the results 1" in text
        assert "dropped" not in text
        # Nor on which days there were some; the day on which retention ended would tell that, too.
        assert f"{date_format(days_ago(0), 'YEAR_MONTH_FORMAT')} retention is over" in text
        assert not re.search(r"Reports of\b", text)
        kept = json.dumps(file.json()["retention"])
        assert not re.search(r"\d{4}-\d\d-\d\d", kept), kept
    told = read(logged_in(alice).get(PAGE))
    assert "321" in told
    assert "were dropped, unread, on 1 day" in told


def test_a_day_of_which_one_locale_had_too_few_is_not_said_to_have_had_too_few(
    version: Version, as_alice: Client
) -> None:
    """Nor is its number, from which the other locale's could be taken away."""
    Deletion.objects.create(version=version, day=days_ago(100), reports=187, fewest=37, reason="expired")
    text = read(as_alice.get(PAGE))
    assert "retention is over at least 100" in text
    assert "retention is over fewer than" not in text
    assert "187" not in text
    (row,) = as_alice.get(FILE).json()["retention"]["deletions"]["newest"]
    assert (row["reports"], row["fewer_than_minimum"]) == (None, False)
    # Days with too few together say so.
    Deletion.objects.update(reports=40)
    Deletion.objects.create(version=version, day=days_ago(101), reports=30, fewest=30, reason="expired")
    assert "retention is over fewer than 100" in read(as_alice.get(PAGE))


def test_the_central_figure_is_on_the_page(as_bob: Client, bob: User) -> None:
    """ε₀ = 4 among 10,000: 0.601, so that even odds become 64.6 %; and 1.277 for two reports, 78.2 %."""
    define(parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": SEED}, minimum_reports=10_000, daily_limit=2)
    text = read(as_bob.get(PAGE))
    assert "All results, one report 10,000 1 4 0.61 64.6 %" in text
    assert "All results, what one person sends on one day 10,000 2 8 1.3 78.2 %" in text
    assert "One report can make them at most 98.3 % sure" in text
    assert "at most 64.6 % sure of what one report was about (central ε = 0.61)" in text
    assert "δ = 10⁻⁶" in text
    assert "hide among 5,000 only, with a central ε of 0.92. If they sent all but one, only ε = 4 protects" in text


def test_a_use_case_of_words(as_bob: Client) -> None:
    define_words()
    text = read(as_bob.get("/use-cases/words/privacy/"))
    assert "about a word with ε = 8, and about two of its letters with ε′ = 8" in text
    assert "one of 2 places" in text
    assert "A word that very many people type" in text


def test_before_anything_was_asked(version: Version, as_alice: Client) -> None:
    Version.objects.update(state=Version.State.DRAFT)
    text = read(as_alice.get(PAGE))
    assert "Nothing has been asked yet" in text
    assert "People who may see the results 1" in text
    assert "It has never asked anything." in read(as_alice.get(SITE))


def test_the_site_on_a_page(as_alice: Client, client: Client) -> None:
    shared = {"budget_group": "domains", "daily_limit": 2}
    rules = {"epsilon": 4, "k": 64, "m": 64, "seed": SEED}
    apply(
        definition(slug="a", title="A", **shared),
        definition(slug="b", title="B", **shared, parameters=rules | {"epsilon": 1}),
        definition(slug="c", title="C", parameters=rules | {"epsilon": 8}, owner_group="others", viewer_groups=None),
    )
    text = read(as_alice.get(SITE))
    for part in (
        "takes part in all 3 use cases that are running gives away at most ε = 16 a day",
        "A, B domains 2 4 8 832",
        "1 use case whose page is not published – 1 8 8 832",
        "All together, at most 16 1,664",
        "A not published 4 2 8 104 10,000 reports 0.61",
    ):
        assert part in text, part
    stranger = read(client.get(SITE))
    assert "3 use cases whose pages are not published – 3 8 16 1,664" in stranger
    assert "No privacy page is published" in stranger
    UseCase.objects.filter(slug="a").update(state=UseCase.State.PAUSED)
    assert "A paused not published" in read(as_alice.get(SITE))
    UseCase.objects.update(state=UseCase.State.PAUSED)
    stranger = read(client.get(SITE))
    assert "Nothing is asked of devices at present. What they sent before may still be held." in stranger
    held = "3 use cases whose pages are not published (not asked now; reports may still be held)"
    assert f"{held} – – – 0 1,664" in stranger
    Version.objects.update(state=Version.State.DRAFT)
    assert "nobody loses anything" in read(client.get(SITE))


def test_texts_are_shown_as_texts(version: Version, as_alice: Client) -> None:
    UseCase.objects.update(title="<b>T", description="<i>D")
    for address in (PAGE, SITE):
        body = as_alice.get(address).content
        assert b"&lt;b&gt;T" in body
        assert b"<b>T" not in body
        assert b"<i>D" not in body


# --- Ways to it ---


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (UseCase.State.PAUSED, "This use case is paused: devices do not report for it, and new reports are"),
        (UseCase.State.ARCHIVED, "This use case is archived: devices no longer report for it, and new reports"),
    ],
)
def test_what_is_not_asked_now_says_so(version: Version, client: Client, state: str, words: str) -> None:
    publish()
    page = read(client.get(PAGE))
    assert "made just now as a device makes it" in page
    assert words not in page
    UseCase.objects.update(state=state)
    page = read(client.get(PAGE))
    assert words in page
    assert "as a device makes it" not in page
    assert "made just now by this site, as devices made theirs while they were asked" in page


def test_links(version: Version, as_alice: Client, client: Client) -> None:
    assert f'href="{PAGE}"' in words(as_alice.get("/use-cases/fruits/"))
    assert f'href="{SITE}"' in words(as_alice.get("/"))
    assert f'href="{SITE}"' in words(client.get(reverse("login")))
    page = words(as_alice.get(PAGE))
    for address in (SITE, FILE, "/use-cases/fruits/", reverse("what_leaves")):
        assert f'href="{address}"' in page
    site = words(as_alice.get(SITE))
    for address in (PAGE, SITE_FILE, reverse("api_device_configuration")):
        assert f'href="{address}"' in site


def test_who_may_publish_is_led_there(version: Version, alice: User, as_alice: Client, as_bob: Client) -> None:
    change = reverse("admin:reports_usecase_change", args=[version.use_case.pk])
    assert change not in words(as_alice.get(PAGE))
    User.objects.update(is_staff=True)
    assert change in words(as_alice.get(PAGE))
    assert "Change this" in words(as_alice.get(PAGE))
    assert ">Histogram</a>" in words(as_bob.get(PAGE))
    assert change not in words(as_bob.get(PAGE))
    assert "not published" in words(as_bob.get(PAGE))
    publish()
    assert "This page is published" in words(as_bob.get(PAGE))


# --- Cost ---


def queries(client: Client, address: str) -> int:
    client.get(address)  # what is remembered after the first time
    with CaptureQueriesContext(connection) as found:
        assert client.get(address).status_code == 200
    return len(found)


def test_more_use_cases_take_no_more_queries(version: Version, as_bob: Client, client: Client) -> None:
    before = [queries(reader, SITE) for reader in (as_bob, client)]
    for name in "abcde":
        define(slug=name, **({"budget_group": "letters"} if name < "c" else {}))
    UseCase.objects.update(privacy_published=True)
    after = [queries(reader, SITE) for reader in (as_bob, client)]
    assert after == before
    assert max(after) <= 8


def test_a_longer_history_takes_no_more_queries(eventful: Version, as_bob: Client) -> None:
    before = queries(as_bob, PAGE)
    for number_of_version in range(3, 7):
        define(parameters={"epsilon": 2.5, "k": 1024, "m": 64, "seed": f"{number_of_version:02x}" * 16},
               budget_group="fruit-salad", daily_limit=2)  # fmt: skip
        Deletion.objects.create(version=eventful, day=days_ago(200 + number_of_version), reports=1, reason="expired")
        send(eventful, 1)
    assert queries(as_bob, PAGE) == before <= 30
