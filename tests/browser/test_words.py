"""Words that are on no list: from reports to a list for each language. Words are text everywhere."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from reports.models import Run
from tests.browser.conftest import Visit, follow
from tests.browser.typed_words import WORDS, define_search, simulated
from tests.browser.words_page import bars, show, words
from tests.reports.runs.stepwise import begin, work_on
from tests.reports.small_fleet import days_ago

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TAGS = {"en_US": ("en-US", "ltr"), "fr_FR": ("fr-FR", "ltr"), "he_IL": ("he-IL", "rtl")}
STAGES = ["Sealing days", "Sketching days", "Reading fragments", "Joining words", "Publishing"]


def upload(page: Page, site: str, file: Path, day: int) -> None:
    page.goto(f"{site}{reverse('upload')}")
    page.set_input_files("#id_file", file)
    page.fill("#id_day", days_ago(day).isoformat())
    follow(page.locator("main button[type=submit]"))
    expect(page.locator("dl.facts")).to_contain_text("4,500")
    follow(page.locator("main a:has-text('New words')"))


def watch_the_run(page: Page) -> None:
    """The page asks by itself, and tells the stages. Its clock is ours."""
    expect(page.locator("#progress h2")).to_have_text("Waiting for a worker")
    address, run = page.url, Run.objects.get()
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.reload()
    begin(run.pk)
    for step, stage in zip(run.steps, STAGES[1:-1], strict=True):
        page.clock.fast_forward(2000)
        expect(page.locator(".stages [aria-current=step]")).to_contain_text(stage)
        expect(page.locator("#progress h2")).to_have_text(stage)
        for part in run.parts.filter(step=step):
            work_on(part.pk)
    # At last it loads itself anew.
    with page.expect_navigation():
        page.clock.fast_forward(2000)
    expect(page.locator("#progress h2")).to_have_text("Finished")
    expect(page.locator(".stages .over")).to_have_count(len(STAGES))
    assert page.url == address
    page.clock.resume()


def read_words(page: Page, site: str, locale: str) -> None:
    """All that were typed, each as it was typed, in table and chart."""
    show(page, site, locale=locale)
    assert sorted(words(page)) == sorted(WORDS[locale])
    assert bars(page) == words(page)
    assert page.locator("#chart .bars .point").count() == len(WORDS[locale])
    marks = page.locator("table.words .element").evaluate_all("all => all.map(one => [one.lang, one.dir])")
    assert set(map(tuple, marks)) == {TAGS[locale]}
    # An absent word is not zero; and how hard was looked.
    expect(page.locator(".caption")).to_contain_text("A word that is missing may still be typed")
    names, values = (page.locator(f".fact-line {part}").all_text_contents() for part in ("dt", "dd"))
    facts = dict(zip(names, values, strict=True))
    assert int(facts["Candidates tried"]) >= len(WORDS[locale])
    assert 0 < float(facts["Smallest share that is found 9 times in 10"].split()[0]) < 100
    assert facts["Shown"].startswith(str(len(WORDS[locale])))


def read_hover(page: Page) -> None:
    for place, word in enumerate(words(page)):
        page.locator("#chart .bars .point path").nth(place).hover(force=True)
        title = page.locator("#chart .hoverlayer .hovertext tspan").first
        expect(title).to_have_text(word)
        expect(page.locator("#chart .hoverlayer")).to_contain_text("95 % interval, adjusted")


def test_words_of_three_languages_from_upload_to_chart(
    alice: User, tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    define_search(tmp_path)
    window = visit(own=True)  # with a clock of its own
    page = window.page
    window.log_in("alice")
    upload(page, window.site, simulated(tmp_path), day=1)
    expect(page.locator("#state-title")).to_contain_text("Too few reports yet, or none")
    follow(page.get_by_text("Aggregate now"))
    watch_the_run(page)
    follow(page.get_by_text("See the words"))
    for locale in WORDS:
        read_words(page, window.site, locale)
    show(page, window.site, locale="en_US")
    bars(page)
    read_hover(page)
    page.fill("#q", "<B>")
    with page.expect_navigation():
        page.press("#q", "Enter")
    assert words(page) == ["<b>"] == bars(page)
    page.fill("#q", "<u>")
    with page.expect_navigation():
        page.press("#q", "Enter")
    expect(page.locator(".panel.empty")).to_contain_text("“<u>”")
    assert words(page) == []
