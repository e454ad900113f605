"""Words that nobody listed: from reports to a list for each language. Words are text everywhere."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from reports.jobs import finish_inline
from reports.models import Run, Version
from tests.browser.conftest import Visit, follow
from tests.browser.typed_words import WORDS, simulated
from tests.browser.words_page import PAGE, badges, bars, row, show, words
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
    # What is not here is not zero; and how hard was looked.
    expect(page.locator(".caption")).to_contain_text("does not mean that nobody types it")
    names, values = (page.locator(f".result-header {part}").all_inner_texts() for part in ("dt", "dd"))
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
    search: Version, tmp_path: Path, visit: Callable[..., Visit]
) -> None:
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


def test_a_word_of_the_second_day_is_new_and_no_other(
    searched: Run, tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    window = visit()
    page = window.page
    window.log_in("alice")
    show(page, window.site)
    assert badges(page, "new") == []
    upload(page, window.site, simulated(tmp_path, seed=1, en_US={"<a@b>": 0.5}), day=1)
    follow(page.get_by_text("Aggregate now"))
    page.goto("about:blank")  # the page of the run would load itself anew
    finish_inline(Run.objects.latest("created_at"))
    for locale, before in WORDS.items():
        added = ["<a@b>"] if locale == "en_US" else []
        show(page, window.site, locale=locale)
        assert sorted(words(page)) == sorted([*before, *added])
        assert bars(page) == words(page)
        assert badges(page, "new") == added
    show(page, window.site)
    first, last = (day.isoformat() for day in (days_ago(2), days_ago(1)))
    for word in words(page):
        seen = row(page, word).locator("time").evaluate_all("all => all.map(one => one.dateTime)")
        assert seen == ([last, last] if word == "<a@b>" else [first, last])
    follow(page.locator("th >> text=First seen"))
    assert page.url.endswith("sort=-first-seen")
    assert words(page)[0] == "<a@b>"
    page.select_option("#words", "new")
    follow(page.locator("form.controls button"))
    assert page.url.endswith("words=new")
    assert words(page) == ["<a@b>"] == bars(page)


def test_without_scripts_words_are_found_read_and_sorted(
    search: Version, tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    window = visit(scripts=False)
    page = window.page
    window.log_in("alice")
    upload(page, window.site, simulated(tmp_path), day=1)
    follow(page.get_by_text("Aggregate now"))
    expect(page.locator(".stages li")).to_have_count(len(STAGES))
    run = Run.objects.get()
    # Nobody reloads the page: it loads itself anew.
    finish_inline(run)
    expect(page.locator("dl.facts")).to_contain_text("Ended")
    follow(page.get_by_text("See the words"))
    found = words(page)
    assert sorted(found) == sorted(WORDS["en_US"])
    assert not page.locator("#chart").is_visible()
    follow(page.get_by_text("Sort these words"))
    page.locator(".sorting > li", has_text="<img/>").get_by_label("rejected").check()
    follow(page.get_by_role("button", name="Save what was changed").first)
    expect(page.locator("main")).to_contain_text("1 change is saved.")
    page.goto(window.site + PAGE)
    assert words(page) == [word for word in found if word != "<img/>"]
    follow(page.get_by_text("Show it"))
    assert words(page) == ["<img/>"]
