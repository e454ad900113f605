"""Windows of discovered words: which one is shown, and plainly why there is nothing to show."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from reports.jobs import finish_inline
from reports.models import Discovery, Period, ReadOut, Run, Sealing, Version
from tests.reports.found_words import find
from tests.reports.small_fleet import aggregate, days_ago, define_words, send_words
from tests.reports.web.pages.controls import sent_by
from tests.reports.web.pages.reading import exported, links, table, words
from tests.reports.web.pages.words.page import FOUND, PAGE

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def closed_day(version: Version, day: int, *, is_released: bool = True) -> None:
    """A day whose reports were sketched, and released by itself or not."""
    sealing = Sealing.objects.create(version=version, day=days_ago(day))
    period = None
    if is_released:
        period = Period.objects.create(
            version=version, locale="en_US", first_day=sealing.day, last_day=sealing.day, n=10_000,
            closed_at=timezone.now(),
        )  # fmt: skip
    ReadOut.objects.create(
        version=version, locale="en_US", day=sealing.day, sealing=sealing, n=10_000, file_name=f"day-{day}",
        period=period,
    )  # fmt: skip


def test_the_newest_window_is_shown_and_others_are_offered(search: Version, as_bob: Client) -> None:
    find(search, ["old"], first=days_ago(20), last=days_ago(14))
    find(search, ["short"], first=days_ago(3), last=days_ago(1))
    find(search, ["long"])
    response = as_bob.get(PAGE)
    assert table(response) == ["long"]
    chosen = [sent_by(response, window=value) for value in links(response).values() if ".." in value]
    assert [table(as_bob.get(PAGE, each, follow=True)) for each in chosen] == [["long"], ["short"], ["old"]]


def test_each_state_has_its_own_words(search: Version, as_alice: Client, as_bob: Client) -> None:
    assert "Too few reports yet, or none" in words(as_bob.get(PAGE))
    closed_day(search, 4, is_released=False)
    assert "Too few reports yet, or none" in words(as_bob.get(PAGE))
    closed_day(search, 3)
    assert "The newest days have no list of words yet" in words(as_bob.get(PAGE))
    assert "Aggregate now" not in words(as_bob.get(PAGE))
    assert "Aggregate now" in words(as_alice.get(PAGE))
    find(search, [], first=days_ago(3), last=days_ago(3))
    page = words(as_bob.get(PAGE))
    assert "No word stands out from the noise" in page
    assert "Of 55 candidates, none reaches the threshold T = 50 reports." in page
    assert "A word with a share of 1.23 % is found nine times in ten" in page
    Discovery.objects.update(smallest_share=1)
    page = words(as_bob.get(PAGE))
    assert "However large its share, a word is found less than nine times in ten. A word that is missing" in page


def test_a_window_nobody_searched_says_what_to_do(found: Version, as_alice: Client, as_bob: Client) -> None:
    for day in (5, 4, 3):
        closed_day(found, day)
    address = f"{PAGE}?from={days_ago(5)}&to={days_ago(4)}"
    page = words(as_bob.get(address))
    assert "These days have no list of words yet" in page
    assert "Ask a member of the group keyboard-owners." in page
    assert "Look for words in these days" not in page
    page = words(as_alice.get(address))
    form = re.findall(r'<form method="post" action="/use-cases/slang/runs/">.*?</form>', page)[0]
    assert "Look for words in these days" in form
    assert re.search(rf'name="from" value="{days_ago(5)}"', form)
    assert re.search(rf'name="to" value="{days_ago(4)}"', form)
    assert table(as_alice.get(PAGE)) == FOUND


def test_days_without_a_period_are_told_from_those_in_which_nobody_has_looked(found: Version, as_bob: Client) -> None:
    for day in (5, 4):
        closed_day(found, day)
    for first, last in ((5, 4), (6, 4)):
        page = as_bob.get(f"{PAGE}?from={days_ago(first)}&to={days_ago(last)}")
        assert "have no list of words yet" in words(page)
    page = as_bob.get(f"{PAGE}?from={days_ago(9)}&to={days_ago(8)}")
    assert "Too few reports yet, or none" in words(page)


def test_the_button_looks_for_words_in_exactly_this_window(as_alice: Client, as_bob: Client) -> None:
    version = define_words()
    for day in (4, 3, 2):
        send_words(version, 400, day=days_ago(day), seed=day)
    aggregate(version)
    address = f"/use-cases/words/?from={days_ago(4)}&to={days_ago(3)}"
    form = re.findall(
        r'<form method="post" action="(/use-cases/words/runs/)">(.*?)</form>', words(as_alice.get(address))
    )
    ((action, content),) = form
    sent = dict(re.findall(r'name="(version|from|to)" value="([^"]*)"', content))
    response = as_alice.post(action, sent)
    run = Run.objects.exclude(state=Run.State.FINISHED).get()
    assert (run.first_day, run.last_day) == (days_ago(4), days_ago(3))
    assert response.headers["Location"] == f"/runs/{run.pk}/"
    assert "A run is under way" in words(as_alice.get(address))
    finish_inline(run)
    response = as_bob.get(address)
    assert table(response) == ["lol", "able", "it's", "o"]
    assert exported(as_bob, response, "json")["n"] == 800
    assert table(as_bob.get("/use-cases/words/")) == table(response)
    assert "<dd>1,200</dd>" in words(as_bob.get("/use-cases/words/"))


def test_the_newest_days_are_searched_again_if_they_may_be_shown_now(as_alice: Client, as_bob: Client) -> None:
    version = define_words()
    send_words(version, 99, day=days_ago(2))
    aggregate(version)
    page = words(as_alice.get("/use-cases/words/"))
    assert "Too few reports yet, or none" in page
    define_words(minimum_reports=50)
    page = words(as_bob.get("/use-cases/words/"))
    assert "The newest days have no list of words yet" in page
    assert "There are enough reports for one. The owners of this use case can start a run" in page
    assert "Ask a member of the group keyboard-owners." in page
    assert '<form method="post" action="/use-cases' not in page
    page = words(as_alice.get("/use-cases/words/"))
    assert "A run looks for words in the 7 days up to the last that has reports" in page
    ((action, content),) = re.findall(r'<form method="post" action="(/use-cases/words/runs/)">(.*?)</form>', page)
    assert "Aggregate now" in content
    assert 'name="from"' not in content, "which would be empty"
    as_alice.post(action, dict(re.findall(r'name="(version)" value="([^"]*)"', content)))
    finish_inline(Run.objects.exclude(state=Run.State.FINISHED).get())
    assert "<dd>99</dd>" in words(as_bob.get("/use-cases/words/"))
