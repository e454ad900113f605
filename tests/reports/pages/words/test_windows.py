"""Windows of discovered words: which one is shown, and plainly why there is nothing to show."""

import re

import pytest
from django.test import Client

from reports.models import Discovery, ReadOut, Run, Sealing, Version
from reports.numbers import day_range
from reports.runs import finish_inline
from tests.reports.found_words import find
from tests.reports.pages.reading import exported, table, words
from tests.reports.pages.words.page import FOUND, PAGE
from tests.reports.small_fleet import aggregate, days_ago, define_words, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def sealed_day(version: Version, day: int) -> None:
    """A day whose reports were sketched."""
    sealing = Sealing.objects.create(version=version, day=days_ago(day))
    ReadOut.objects.create(
        version=version, locale="en_US", day=sealing.day, sealing=sealing, n=5, file_name=f"day-{day}"
    )


def finished_run(version: Version, first: int, last: int, state: Run.State = Run.State.FINISHED) -> None:
    Run.objects.create(
        version=version, first_day=days_ago(first), last_day=days_ago(last), state=state, failure="The disk is full."
    )


def test_the_newest_window_is_shown_and_others_are_linked(search: Version, as_bob: Client) -> None:
    find(search, ["old"], first=days_ago(20), last=days_ago(14))
    find(search, ["short"], first=days_ago(3), last=days_ago(1))
    find(search, ["long"])
    response = as_bob.get(PAGE)
    assert table(response) == ["long"]
    links = re.findall(r'<a href="(\?from=[^"]*)"', words(response))
    assert [table(as_bob.get(PAGE + link.replace("&amp;", "&"))) for link in links] == [["long"], ["short"], ["old"]]


def test_each_state_has_its_own_words(search: Version, as_alice: Client, as_bob: Client) -> None:
    assert "No reports yet" in words(as_bob.get(PAGE))
    sealed_day(search, 3)
    assert "nobody has looked for words in them" in words(as_bob.get(PAGE))
    assert "Aggregate now" not in words(as_bob.get(PAGE))
    assert "Aggregate now" in words(as_alice.get(PAGE))
    finished_run(search, 3, 3, Run.State.RUNNING)
    assert "Words are being looked for" in words(as_bob.get(PAGE))
    Run.objects.update(state=Run.State.FAILED)
    assert "The disk is full." in words(as_bob.get(PAGE))
    Run.objects.update(state=Run.State.FINISHED)
    page = words(as_bob.get(PAGE))
    assert "Too few reports to show" in page
    assert "A run has looked for words here, but what it found may not be shown." in page
    assert "only if nobody could learn about fewer by subtracting" in page
    find(search, [], first=days_ago(3), last=days_ago(3))
    page = words(as_bob.get(PAGE))
    assert "No word stands out from the noise" in page
    assert "Of 55 candidates, none reaches the threshold T = 50 reports." in page
    assert "A word with a share of 1.23 % is found nine times in ten" in page
    Discovery.objects.update(smallest_share=1)
    page = words(as_bob.get(PAGE))
    assert "However large its share, a word is found less than nine times in ten. That a word is missing" in page


def test_a_window_nobody_searched_says_what_to_do(found: Version, as_alice: Client, as_bob: Client) -> None:
    for day in (5, 4, 3):
        sealed_day(found, day)
    address = f"{PAGE}?from={days_ago(5)}&to={days_ago(4)}"
    page = words(as_bob.get(address))
    assert "These days have no list of words yet" in page
    assert "Ask somebody in the group keyboard-owners." in page
    assert "Look for words in these days" not in page
    page = words(as_alice.get(address))
    form = re.findall(r'<form method="post" action="/use-cases/slang/runs/">.*?</form>', page)[0]
    assert "Look for words in these days" in form
    assert re.search(rf'name="from" value="{days_ago(5)}"', form)
    assert re.search(rf'name="to" value="{days_ago(4)}"', form)
    assert table(as_alice.get(PAGE)) == FOUND


def test_a_window_that_was_searched_in_vain_is_not_searched_again(found: Version, as_bob: Client) -> None:
    for day in (5, 4, 3):
        sealed_day(found, day)
    finished_run(found, 5, 4)
    assert "may not be shown" in words(as_bob.get(f"{PAGE}?from={days_ago(5)}&to={days_ago(4)}"))
    assert "may not be shown" in words(as_bob.get(f"{PAGE}?from={days_ago(6)}&to={days_ago(4)}")), "the same days"
    assert "have no list of words yet" in words(as_bob.get(f"{PAGE}?from={days_ago(5)}&to={days_ago(3)}"))
    assert "No reports in this window" in words(as_bob.get(f"{PAGE}?from={days_ago(9)}&to={days_ago(8)}"))


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
    assert "Words are being looked for" in words(as_bob.get(address))
    finish_inline(run.pk, lambda _progress: None)
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
    assert "Too few reports to show" in page
    version.use_case.minimum_reports = 50
    version.use_case.save()
    page = words(as_bob.get("/use-cases/words/"))
    assert "The newest days have no list of words yet" in page
    assert "There are enough reports for one. The owners of this use case can start a run" in page
    assert "Ask somebody in the group keyboard-owners." in page
    assert '<form method="post" action="/use-cases' not in page
    page = words(as_alice.get("/use-cases/words/"))
    assert "A run looks for words in the 7 days up to the last that has reports" in page
    ((action, content),) = re.findall(r'<form method="post" action="(/use-cases/words/runs/)">(.*?)</form>', page)
    assert "Aggregate now" in content
    assert 'name="from"' not in content, "which would be empty"
    as_alice.post(action, dict(re.findall(r'name="(version)" value="([^"]*)"', content)))
    finish_inline(Run.objects.exclude(state=Run.State.FINISHED).get().pk, lambda _progress: None)
    assert "<dd>99</dd>" in words(as_bob.get("/use-cases/words/"))


def test_owners_learn_that_a_newer_list_may_not_be_shown(as_alice: Client, as_bob: Client) -> None:
    version = define_words()
    for day, reports in ((4, 400), (3, 400), (2, 50)):
        send_words(version, reports, day=days_ago(day), seed=day)
    aggregate(version, days_ago(4), days_ago(3))
    page = "/use-cases/words/"
    said = "could not be shown: either it is about fewer than 100 reports, or together with earlier windows"
    assert said not in words(as_alice.get(page)), "nobody has looked yet"
    aggregate(version, days_ago(4), days_ago(2))
    assert f"over {day_range(days_ago(4), days_ago(2))}, {said}" in words(as_alice.get(page))
    assert "<dd>800</dd>" in words(as_alice.get(page))
    assert said not in words(as_bob.get(page)), "who cannot do anything about it"
    assert said not in words(as_alice.get(f"{page}?from={days_ago(4)}&to={days_ago(3)}")), "that is what was asked for"
    send_words(version, 400, day=days_ago(1))
    aggregate(version, days_ago(4), days_ago(1))
    assert "<dd>1,250</dd>" in words(as_alice.get(page))
    assert said not in words(as_alice.get(page))
