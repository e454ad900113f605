"""Embedded pages: equal to the page they are of, and of words only those that are still there."""

import html
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from reports.embedding import make_token
from reports.models import Histogram, Run, Version
from reports.web.pages.changes import changes_chart
from reports.words import Decided, decide
from tests.reports.changed import two_weeks
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, send
from tests.reports.web.pages.embed.links import annotate, link_in, made, opened, reports_shown, token_of
from tests.reports.web.pages.reading import chart, words
from tests.reports.web.pages.tables import Written, numbers
from tests.reports.web.pages.tables_in_html import tables_in

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_embedded_pages_have_tables_and_charts_of_the_pages_they_are_of(
    published: Run, as_alice: Client, alice: User
) -> None:
    first, second = published.first_day.isoformat(), published.last_day.isoformat()
    sides = f"locale=en_US&from={second}&to={second}&other-locale=en_US&other-from={first}&other-to={first}"
    of_days = f"from={second}&to={second}"
    for name, query in (
        ("use_case", ""),
        ("compare", sides),
        ("trend", "element=apple&element=banana"),
        ("changes", of_days),
    ):
        page = as_alice.get(f"{reverse(name, args=['fruits'])}?{query}", follow=True)
        embedded = opened(token_of(alice, query, page=name))
        assert figures_of(embedded) == figures_of(page) != []
        assert json.dumps(chart(embedded)) == json.dumps(chart(page))


def figures_of(response: Any) -> list[tuple[str, list[Written]]]:
    """Return for each row of its tables what it is about, and its numbers."""
    found = tables_in(response.content.decode())
    return [(row["about"].strip(), numbers(row["numbers"])) for each in found for row in each["rows"] + each["closing"]]


def test_strangers_see_no_more_changes_than_the_chart_has(
    db: None, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_weeks()
    monkeypatch.setattr(changes_chart, "MOST_ROWS", 2)
    embedded = opened(token_of(alice, "top=200", page="changes"))
    assert len(tables_in(embedded.content.decode())[0]["rows"]) == 2


def test_these_days_or_the_newest(published: Run, version: Version, as_alice: Client) -> None:
    these, newest = made(as_alice), made(as_alice, window="newest")
    assert reports_shown(Client().get(these)) == reports_shown(Client().get(newest)) == "800"
    send(version, 400, day=days_ago(0))
    aggregate(version)
    assert reports_shown(Client().get(these)) == "800"
    assert reports_shown(Client().get(newest)) == "1,200"


def test_an_element(published: Run, as_alice: Client, alice: User) -> None:
    annotate(published, "Release of fruit 2")
    page = as_alice.get("/use-cases/fruits/elements/?element=apple").content.decode()
    form = re.search(r'<a href="(/use-cases/fruits/embed/[^"]*)"', page)
    assert form is not None
    made_now = link_in(as_alice.post(html.unescape(form[1]), {"days": 7, "window": "these", "annotated": "on"}))
    there = Histogram.objects.count()
    answer = Client().get(made_now)
    text = words(answer)
    assert answer.status_code == 200
    # The finding, and beside it in words what both figures are about: there is no heading of a page above them.
    assert '<h2 id="places-title" class="finding">apple: ' in text
    assert '<span class="quiet">apple, by locale</span>' in text
    assert '<h2 id="days-title">apple, by day: ' in text
    assert "windows without one are gaps" in text
    assert "<bdi>Release of fruit 2</bdi>" in text
    # Both figures, with the numbers of the page.
    figures = re.findall(r'<script id="(\w+)-figure" type="application/json">(.*?)</script>', answer.content.decode())
    shown = re.findall(r'<script id="\w+-figure" type="application/json">(.*?)</script>', page)
    assert [name for name, _figure in figures] == ["chart", "days"]
    assert [json.loads(figure) for _name, figure in figures] == [json.loads(figure) for figure in shown]
    assert Histogram.objects.count() == there
    hidden = opened(token_of(alice, "element=apple", page="element"))
    assert "Release of fruit 2" not in hidden.content.decode()


def test_an_element_that_is_none_and_a_word_that_was_rejected(alice: User) -> None:
    search = define_search()
    find(search, ["yeet", "lol"])
    token = make_token(alice, search.use_case, "element", "element=yeet", 7)
    assert "yeet" in opened(token).content.decode()
    assert "There is nothing to show yet" in words(
        opened(make_token(alice, search.use_case, "element", "element=rizz", 7))
    )
    decide(alice, search.use_case, "en_US", [Decided("yeet", "rejected")])
    assert "yeet" not in opened(token).content.decode()


def test_words_that_were_rejected_meanwhile_are_not_shown(found: Version, alice: User) -> None:
    pinned = make_token(alice, found.use_case, "trend", "element=yeet&element=rizz", 7)
    everything = make_token(alice, found.use_case, "use_case", "words=all", 7)
    assert all("rizz" in words(opened(token)) for token in (pinned, everything))
    decide(alice, found.use_case, "en_US", [Decided("rizz", "rejected")])
    for token in (pinned, everything):
        answer = opened(token)
        assert "yeet" in words(answer)
        assert "rizz" not in answer.content.decode()
    decide(alice, found.use_case, "en_US", [Decided("yeet", "rejected")])
    assert "yeet" not in opened(pinned).content.decode()
