"""Words are sorted by hand, on the page for it: by keyboard too, and everybody sees and counts what came of it."""

import csv
import io
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from reports.models import Version
from tests.browser.conftest import Visit, follow
from tests.browser.typed_words import ALPHABETS, WORDS
from tests.browser.words_page import MARKUP, PAGE, badges, bars, row, show, words
from tests.reports.found_words import define_search, find
from tests.worlds import once

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SORT = reverse("sort_words", args=["words"])


@pytest.fixture
@once
def found(transactional_db: None, alice: User) -> Version:
    """Lists of the words that are typed, without a run that finds them."""
    version = define_search(slug="words", title="New words", locales=list(WORDS), alphabet=ALPHABETS)
    for locale, typed in WORDS.items():
        find(version, list(typed), locale=locale)
    return version


def downloaded(page: Page, link: str) -> str:
    with page.expect_download() as started:
        page.get_by_role("link", name=link, exact=True).click()
    return started.value.path().read_text(encoding="utf-8")


def tab_to(page: Page, target: Locator) -> None:
    """Go on with the keyboard until the target has it."""
    for _press in range(200):
        page.keyboard.press("Tab")
        if target.evaluate("target => target === document.activeElement"):
            return
    pytest.fail(f"the keyboard does not reach {target}")


def choose(page: Page, word: str, verdict: str, note: str = "", key: str = "") -> None:
    """Sort one word, with the keyboard alone: from wherever on the page one is."""
    (place,) = [
        place for place, found in enumerate(page.locator(".sorting .element").all_inner_texts()) if found == word
    ]
    line = page.locator(f"#line-{place}")
    while line.get_attribute("aria-current") is None:
        current = page.evaluate("[...document.querySelectorAll('.sorting > li')].findIndex((row) => row.ariaCurrent)")
        page.keyboard.press("n" if current < place else "ArrowUp")
    page.keyboard.press(key or verdict[0])
    expect(line.locator(f"input[value={verdict}]")).to_be_checked()
    # The next word has the focus, and after the last one the button.
    if place + 1 < page.locator(".sorting > li").count():
        expect(page.locator(f"#line-{place + 1}")).to_be_focused()
    else:
        expect(page.get_by_role("button", name="Save what was changed")).to_be_focused()
    if note:
        line.focus()
        tab_to(page, line.locator("summary"))
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.type(note)
        line.focus()


def sort_by_keyboard(page: Page, site: str) -> None:
    show(page, site)
    tab_to(page, page.get_by_role("link", name="Review these words"))
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert f"{SORT}?" in page.url
    assert page.locator(MARKUP).count() == 0
    assert sorted(page.locator(".sorting .element").all_inner_texts()) == sorted(WORDS["en_US"])
    # The page has just been opened, so that nothing in it has the focus.
    choose(page, "=1+1", "accepted", note='<b>"a sum"</b>', key="2")
    expect(page.get_by_label("Kind of =1+1")).to_have_value("expression")
    choose(page, '"><i>', "rejected")
    choose(page, "@a", "truncated")
    tab_to(page, page.locator("#dictionary"))
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("new-words")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Save what was changed")).to_be_focused()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("3 changes are saved.")


def read_verdicts(page: Page, site: str) -> None:
    """Return the verdicts as all who may see the page see them."""
    show(page, site, words="all")
    shown = [word for word in words(page) if word != '"><i>']
    show(page, site)
    assert words(page) == shown == bars(page)
    assert '"><i>' not in page.locator("main").inner_text()
    expect(page.locator("main")).to_contain_text("1 rejected word is hidden.")
    accepted = row(page, "=1+1")
    expect(accepted.locator(".verdict-accepted")).to_have_text("accepted (expression)")
    expect(accepted.locator(".decision")).to_contain_text("into new-words, by alice")
    expect(accepted.locator(".decision")).to_contain_text('<b>"a sum"</b>')
    assert badges(page, "truncated") == ["@a"]
    # In CSV, what a spreadsheet would run is quoted.
    lines = list(csv.DictReader(io.StringIO(downloaded(page, "CSV"))))
    assert [line["element"] for line in lines] == [f"'{word}" if word[0] in "=+-@" else word for word in shown]
    assert {line["element"]: line["verdict"] for line in lines if line["verdict"] != "undecided"} == {
        "'=1+1": "accepted",
        "'@a": "truncated",
    }
    for asked, found in (("rejected", ['"><i>']), ("accepted", ["=1+1"])):
        page.locator(".more summary").click()
        page.select_option("#words", asked)
        follow(page.locator(".more button"))
        assert page.url.endswith(f"words={asked}")
        assert words(page) == found == bars(page)


def test_words_are_sorted_by_keyboard_and_everybody_sees_it(
    found: Version, bob: User, visit: Callable[..., Visit]
) -> None:
    window = visit()
    window.log_in("alice")
    sort_by_keyboard(window.page, window.site)
    show(window.page, window.site)
    assert '"><i>' not in words(window.page)
    viewer = visit()
    viewer.log_in("bob")
    read_verdicts(viewer.page, viewer.site)
    assert viewer.page.get_by_role("link", name="Review these words").count() == 0
    assert viewer.page.request.get(f"{viewer.site}{SORT}").status == 404
    follow(viewer.page.get_by_text("Dictionaries of accepted words"))
    assert downloaded(viewer.page, "new-words/en_US.txt") == "=1+1\n"


def test_who_leaves_unsaved_choices_is_asked(found: Version, visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.page
    window.log_in("alice")
    page.goto(window.site + SORT)
    verdicts = page.locator("#line-0")
    back = page.locator(".crumb a")
    verdicts.get_by_label("rejected").check()
    verdicts.get_by_label("undecided").check()
    follow(back)  # as it was: nothing asks for it
    page.wait_for_url(f"**{PAGE}*")
    page.goto(window.site + SORT)
    verdicts.get_by_label("rejected").check()
    window.leave = False
    with page.expect_event("dialog"):
        back.click(no_wait_after=True)
    expect(verdicts.get_by_label("rejected")).to_be_checked()
    assert page.url == window.site + SORT
    page.locator("#line-0 summary").click()
    page.fill("#note-0", "markup")
    follow(page.get_by_role("button", name="Save what was changed"))
    expect(page.locator("main")).to_contain_text("1 change is saved.")
    assert window.asked == 1  # and not by what is sent
    page.locator("#line-0").get_by_label("accepted").check()
    page.fill("#dictionary", "two words")
    follow(page.get_by_role("button", name="Save what was changed"))
    expect(page.locator("main")).to_contain_text("Nothing is stored yet.")
    page.locator("main h1").click()  # browsers ask only those who did something
    window.leave = True
    follow(back)
    page.wait_for_url(f"**{PAGE}*")
    assert window.asked == 2
    (refusal,) = window.faults  # which browsers write into their console
    assert "422" in refusal
    window.faults.clear()


def test_words_are_read_and_sorted_without_scripts(found: Version, visit: Callable[..., Visit]) -> None:
    window = visit(scripts=False)
    page = window.page
    window.log_in("alice")
    show(page, window.site)
    listed = words(page)
    assert sorted(listed) == sorted(WORDS["en_US"])
    assert not page.locator("#chart").is_visible()
    follow(page.get_by_text("Review these words"))
    page.locator(".sorting > li", has_text="<img/>").get_by_label("rejected").check()
    follow(page.get_by_role("button", name="Save what was changed").first)
    expect(page.locator("main")).to_contain_text("1 change is saved.")
    show(page, window.site)
    assert words(page) == [word for word in listed if word != "<img/>"]
    follow(page.get_by_text("Show it"))
    assert words(page) == ["<img/>"]


def test_save_button_stays_within_reach_and_covers_no_field(found: Version, visit: Callable[..., Visit]) -> None:
    window = visit(width=360)
    page = window.page
    window.log_in("alice")
    page.goto(window.site + SORT)
    for width, height, least in ((1280, 800, 8), (390, 844, 4)):
        page.set_viewport_size({"width": width, "height": height})
        last = page.locator(f"#line-{least - 1}").bounding_box()
        assert last is not None
        assert last["y"] + last["height"] <= height, "words are on the first screen"
    page.set_viewport_size({"width": 360, "height": 900})
    button = page.get_by_role("button", name="Save what was changed")
    expect(button).to_have_count(1)
    page.locator("#line-0").get_by_label("rejected").check()
    for place in range(len(WORDS["en_US"])):
        page.locator(f"#line-{place} summary").click()
        note = page.locator(f"#note-{place}")
        page.locator(f"#line-{place} input:checked").evaluate("field => field.focus({preventScroll: true})")
        # To where the bar is, if the page is long enough.
        note.evaluate("field => scrollBy(0, field.getBoundingClientRect().bottom - innerHeight)")
        page.keyboard.press("Tab")  # what unfolds the note
        page.keyboard.press("Tab")
        expect(note).to_be_focused()
        bar, field = page.locator(".sorting-save").bounding_box(), note.bounding_box()
        assert bar is not None
        assert field is not None
        assert bar["y"] + bar["height"] <= 900
        assert 0 <= field["y"] <= bar["y"] - field["height"]
