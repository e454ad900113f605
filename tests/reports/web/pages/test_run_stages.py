"""The stages of a run that finds words, as its page tells them."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from reports.jobs import finish_inline
from reports.models import Part, Run
from reports.runs import start_run
from tests.reports.runs.stepwise import begin, work_on
from tests.reports.small_fleet import LOCALES, aggregate, days_ago, define_words, send_words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

STAGES = ["Sealing days", "Sketching days", "Reading fragments", "Joining words", "Publishing"]


@pytest.fixture
@once
def ordered(db: None) -> Run:
    version = define_words()
    for locale in LOCALES:
        send_words(version, 150, locale=locale, day=days_ago(1))
    return start_run(version, ring=False)


def stages(client: Client, run: Run, name: str = "run_progress") -> list[tuple[str, str, str]]:
    """Return for each stage whether it is over or current, its name, and what is said of it."""
    page = client.get(reverse(name, args=[run.pk])).content.decode()
    (found,) = re.findall(r'<ol class="stages">(.*?)</ol>', page, re.DOTALL)
    items = re.findall(r"<li(.*?)>(.*?)</li>", found, re.DOTALL)
    rows = []
    for attributes, content in items:
        label, *said = (text.strip() for text in re.sub(r"<.*?>", "|", content).split("|") if text.strip())
        assert ("aria-current" in attributes) == ("current" in attributes)
        kind = re.findall(r'class="(\w+)"', attributes)
        rows.append(("".join(kind), label, "".join(said)))
    assert [label for _kind, label, _said in rows] == STAGES
    return rows


def test_an_owner_sees_how_far_each_stage_is(ordered: Run, as_alice: Client) -> None:
    assert [kind for kind, *_rest in stages(as_alice, ordered)] == [""] * 5
    begin(ordered.pk)
    seen = []
    while part := Part.objects.filter(finished_at=None).order_by("step", "pk").first():
        seen.append([(kind, said) for kind, _label, said in stages(as_alice, ordered)])
        assert stages(as_alice, ordered) == stages(as_alice, ordered, "run")
        work_on(part.pk)
    over, waiting = ("over", "done"), ("", "0 of 2")
    # The search is known when everything is sketched.
    assert seen == [
        [over, ("current", "0 of 2"), ("", ""), ("", ""), ("", "")],
        [over, ("current", "1 of 2"), ("", ""), ("", ""), ("", "")],
        [over, over, ("current", "0 of 2"), waiting, ("", "")],
        [over, over, ("current", "1 of 2"), waiting, ("", "")],
        [over, over, over, ("current", "0 of 2"), ("", "")],
        [over, over, over, ("current", "1 of 2"), ("", "")],
    ]
    assert {kind for kind, *_rest in stages(as_alice, ordered)} == {"over"}


def test_a_run_with_nothing_to_sketch_begins_with_fragments(ordered: Run, as_alice: Client) -> None:
    finish_inline(ordered)
    again = start_run(ordered.version, ring=False)
    begin(again.pk)
    assert [kind for kind, *_rest in stages(as_alice, again)] == ["over", "over", "current", "", ""]


def test_a_run_that_failed_shows_where(ordered: Run, as_alice: Client) -> None:
    begin(ordered.pk)
    Run.objects.update(state=Run.State.FAILED, failure="The disk is full.")
    assert [kind for kind, *_rest in stages(as_alice, ordered)] == ["over", "current", "", "", ""]


def test_the_link_of_a_finished_run_leads_to_its_words(ordered: Run, as_alice: Client) -> None:
    finish_inline(ordered)
    page = as_alice.get(reverse("run", args=[ordered.pk])).content.decode()
    assert "See the words" in page
    assert f"/use-cases/words/?from={days_ago(1)}&amp;to={days_ago(1)}" in page


def test_a_finished_run_says_of_each_locale_what_is_shown(as_alice: Client) -> None:
    version = define_words()
    send_words(version, 300, day=days_ago(1))
    send_words(version, 99, locale="fr_FR", day=days_ago(1))
    run = aggregate(version)
    page = as_alice.get(reverse("run", args=[run.pk])).content.decode()
    results = page[page.index('<ul class="results">') : page.index("See the words")]
    english, french = results.split("</li>")[:2]
    assert f"locale=en_US&amp;from={days_ago(1)}" in english
    assert "is not shown" not in english
    assert "fewer reports than the minimum" in french
    assert "href" not in french


def test_a_window_is_searched_though_there_is_nothing_new_in_it(as_alice: Client) -> None:
    version = define_words()
    for day in (3, 2, 1):
        send_words(version, 150, day=days_ago(day), seed=day)
    aggregate(version)
    as_alice.post("/use-cases/words/runs/", {"version": "1", "from": str(days_ago(2)), "to": str(days_ago(1))})
    run = Run.objects.get(state=Run.State.WAITING)
    assert (run.first_day, run.last_day) == (days_ago(2), days_ago(1))
