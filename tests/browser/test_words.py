"""Words that nobody listed: from reports to a list for each language, sorted by hand. Words are text everywhere."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from reports.models import Run, UseCase, Version
from reports.runs import finish_inline, start_run, work_on
from reports.runs.parts import begin
from reports.runs.progress import DISCOVERY
from tests.browser.conftest import Visit, follow
from tests.reports.small_fleet import days_ago, define, words_definition

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# With shares. What runs from right to left; accents; and what somebody types who wants to be more than text: markup,
# entities that become markup when they are read twice, the end of an attribute, formulas.
WORDS = {
    "en_US": {
        "<b>": 0.22, "=1+1": 0.17, '"><i>': 0.14, "<img/>": 0.12, "'&#39;": 0.11, "&lt;b>": 0.09, "@a": 0.08, "-1": 0.07
    },
    "fr_FR": {"été": 0.4, "ñoño": 0.3, "ça": 0.2, "œuf": 0.1},
    "he_IL": {"שלום": 0.5, "לא": 0.3, "כן": 0.2},
}  # fmt: skip
ALPHABETS = {"en_US": "<>/b=1+\"'&#39;()@a-imgltx", "fr_FR": "abcefnotuéñçœ", "he_IL": "אבוכלמםןנש"}
TAGS = {"en_US": ("en-US", "ltr"), "fr_FR": ("fr-FR", "ltr"), "he_IL": ("he-IL", "rtl")}
STAGES = ["Sealing days", "Sketching days", "Reading fragments", "Joining words", "Publishing"]
PAGE, SORT = reverse("use_case", args=["words"]), reverse("sort_words", args=["words"])
# Elements that no template of ours makes, but words would, if they were markup.
MARKUP = "main :is(b, i, u, img)"
# Marks that keep the label of a bar in its place.
ISOLATES = str.maketrans("", "", "\u2066\u2067\u2068\u2069")


@pytest.fixture
def version(transactional_db: None, alice: User, tmp_path: Path) -> Version:
    """Defined by a file, as operators do."""
    parameters = words_definition()["parameters"] | {"length": 6}
    file = tmp_path / "use_cases.json"
    definition = words_definition(locales=list(WORDS), alphabet=ALPHABETS, parameters=parameters)
    file.write_text(json.dumps([definition], ensure_ascii=False), encoding="utf-8")
    call_command("apply_use_cases", file)
    active = UseCase.objects.get().active_version()
    assert active is not None
    return active


def simulated(folder: Path, seed: int = 0, **more: dict[str, float]) -> Path:
    """A file of what a fleet sends that types the words above, and more by locale."""
    shares = folder / "shares.tsv"
    typed = {locale: words | more.get(locale, {}) for locale, words in WORDS.items()}
    lines = [f"{locale}\t{word}\t{share}" for locale, words in typed.items() for word, share in words.items()]
    shares.write_text("\n".join(["locale\telement\tshare", *lines]), encoding="utf-8")
    call_command("simulate_devices", "words", shares=shares, reports=4500, seed=seed, output=folder)
    return folder / "words.ndjson"


@pytest.fixture
def published(version: Version, tmp_path: Path) -> Run:
    call_command("ingest", simulated(tmp_path), day=days_ago(2))
    run = finish_inline(start_run(version, ring=False).pk, lambda _progress: None)
    assert run.state == Run.State.FINISHED, run.failure
    return run


# --- What is on the page ---


def rows(page: Page) -> Locator:
    return page.locator("table.words tbody tr")


def words(page: Page) -> list[str]:
    """As people see them; and nothing became more than text."""
    assert page.locator(MARKUP).count() == 0
    assert page.locator(".element *").count() == 0
    return page.locator("table.words .element").all_inner_texts()


def bars(page: Page) -> list[str]:
    page.wait_for_selector("#chart[data-drawn]")
    labels = page.locator("#chart .ytick text")
    assert labels.locator("*").count() == 0
    return [label.translate(ISOLATES) for label in labels.all_text_contents()]


def row(page: Page, word: str) -> Locator:
    (place,) = [place for place, found in enumerate(words(page)) if found == word]
    return rows(page).nth(place)


def badges(page: Page, text: str) -> list[str]:
    """The words with a badge of this text."""
    marked = page.locator("table.words tbody tr", has=page.locator(".badge", has_text=text))
    return marked.locator(".element").all_inner_texts()


def show(page: Page, site: str, **query: str) -> None:
    page.goto(f"{site}{PAGE}?" + "&".join(f"{name}={value}" for name, value in query.items()))


def downloaded(page: Page, link: str) -> str:
    with page.expect_download() as started:
        page.get_by_role("link", name=link, exact=True).click()
    return started.value.path().read_text(encoding="utf-8")


# --- From reports to words ---


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
    for step, stage in zip(DISCOVERY, STAGES[1:-1], strict=True):
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
    version: Version, tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    window = visit()
    page = window.page
    window.log_in("alice")
    upload(page, window.site, simulated(tmp_path), day=1)
    expect(page.locator("#state-title")).to_contain_text("nobody has looked for words in them")
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
    published: Run, tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    window = visit()
    page = window.page
    window.log_in("alice")
    show(page, window.site)
    assert badges(page, "new") == []
    upload(page, window.site, simulated(tmp_path, seed=1, en_US={"<a@b>": 0.5}), day=1)
    follow(page.get_by_text("Aggregate now"))
    page.goto("about:blank")  # the page of the run would load itself anew
    finish_inline(Run.objects.latest("created_at").pk, lambda _progress: None)
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


# --- Sorting ---


def tab_to(page: Page, target: Locator) -> None:
    """Go on with the keyboard until the target has it."""
    for _press in range(200):
        page.keyboard.press("Tab")
        if target.evaluate("target => target === document.activeElement"):
            return
    pytest.fail(f"the keyboard does not reach {target}")


def choose(page: Page, word: str, verdict: str, note: str = "") -> None:
    """Sort one word, with the keyboard alone."""
    (place,) = [
        place for place, found in enumerate(page.locator(".sorting .element").all_inner_texts()) if found == word
    ]
    line = page.locator(f"#line-{place}")
    tab_to(page, line.locator("input:checked"))
    for _press in range(4):
        if line.locator("input:checked").get_attribute("value") == verdict:
            break
        page.keyboard.press("ArrowDown")
    expect(line.locator(f"input[value={verdict}]")).to_be_checked()
    if note:
        tab_to(page, line.locator("input[name^=note]"))
        page.keyboard.type(note)


def sort_by_keyboard(page: Page, site: str) -> None:
    show(page, site)
    tab_to(page, page.get_by_role("link", name="Sort these words"))
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert f"{SORT}?" in page.url
    assert page.locator(MARKUP).count() == 0
    assert sorted(page.locator(".sorting .element").all_inner_texts()) == sorted(WORDS["en_US"])
    tab_to(page, page.locator("#dictionary"))
    page.keyboard.type("new-words")
    choose(page, "=1+1", "accepted", note='<b>"a sum"</b>')
    choose(page, '"><i>', "rejected")
    choose(page, "@a", "truncated")
    tab_to(page, page.get_by_role("button", name="Save what was changed").last)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("3 changes are saved.")


def read_verdicts(page: Page, site: str) -> None:
    """What everybody sees who may see the page."""
    show(page, site, words="all")
    every = words(page)
    shown = [word for word in every if word != '"><i>']
    show(page, site)
    assert words(page) == shown == bars(page)
    assert '"><i>' not in page.locator("main").inner_text()
    expect(page.locator("main")).to_contain_text("1 rejected word is hidden.")
    accepted = row(page, "=1+1")
    expect(accepted.locator(".verdict-accepted")).to_have_text("accepted")
    expect(accepted.locator(".decision")).to_contain_text("into new-words, by alice")
    expect(accepted.locator(".decision")).to_contain_text('<b>"a sum"</b>')
    assert badges(page, "truncated") == ["@a"]
    compare_files(page, shown)
    for asked, found in (("rejected", ['"><i>']), ("all", every), ("accepted", ["=1+1"])):
        page.select_option("#words", asked)
        follow(page.locator("form.controls button"))
        assert page.url.endswith(f"words={asked}")
        assert words(page) == found == bars(page)
        compare_files(page, found)


def compare_files(page: Page, shown: list[str]) -> None:
    """CSV and JSON have what is on the screen. In CSV, what a spreadsheet would run is quoted."""
    entries: list[dict[str, Any]] = json.loads(downloaded(page, "JSON"))["entries"]
    lines = list(csv.DictReader(io.StringIO(downloaded(page, "CSV"))))
    assert [entry["element"] for entry in entries] == shown
    quoted = [f"'{word}" if word[0] in "=+-@" else word for word in shown]
    assert [line["element"] for line in lines] == [line["display"] for line in lines] == quoted
    for place, word in enumerate(shown):
        line, entry, on_page = lines[place], entries[place], row(page, word)
        estimate = on_page.locator(".estimate").inner_text()
        assert f"{round(float(line['estimate'])):,}" == f"{round(entry['estimate']):,}" == estimate
        assert line["rank"] == str(entry["rank"]) == on_page.locator(".rank").inner_text().replace("≈", "").strip()
        assert line["verdict"] == entry["verdict"]
        verdict = on_page.locator("[class*=verdict-]")
        assert (verdict.inner_text() if verdict.count() else "undecided") == entry["verdict"]


def test_words_are_sorted_by_keyboard_and_everybody_sees_it(
    published: Run, bob: User, visit: Callable[..., Visit]
) -> None:
    window = visit()
    window.log_in("alice")
    sort_by_keyboard(window.page, window.site)
    show(window.page, window.site)
    assert '"><i>' not in words(window.page)
    viewer = visit()
    viewer.log_in("bob")
    read_verdicts(viewer.page, viewer.site)
    assert viewer.page.get_by_role("link", name="Sort these words").count() == 0
    assert viewer.page.request.get(f"{viewer.site}{SORT}").status == 404
    follow(viewer.page.get_by_text("Dictionaries of accepted words"))
    assert downloaded(viewer.page, "new-words/en_US.txt") == "=1+1\n"


def test_another_use_case_counts_the_accepted_words(published: Run, alice: User, visit: Callable[..., Visit]) -> None:
    counting = define(normalization="word", dictionary=["known"])
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    window = visit()
    page = window.page
    window.log_in("alice")
    page.goto(f"{window.site}{SORT}?locale=fr_FR")
    page.fill("#dictionary", "new-words")
    for accepted in ("été", "œuf"):
        page.locator(".sorting > li", has_text=accepted).get_by_label("accepted").check()
    follow(page.get_by_role("button", name="Save what was changed").first)
    expect(page.locator("main")).to_contain_text("2 changes are saved.")
    page.goto(f"{window.site}{reverse('admin:reports_version_change', args=[counting.pk])}")
    follow(page.get_by_role("link", name="Dictionary", exact=True))
    page.select_option("#id_named", label="new-words, fr_FR: 2 words")
    follow(page.get_by_role("button", name="Preview", exact=True))
    follow(page.get_by_role("button", name="Save as revision 2", exact=True))
    expect(page.locator(".messagelist")).to_contain_text("2 elements, 2 new and 1 gone")
    revision = counting.current_dictionary()
    assert revision is not None
    assert list(revision.entries.values_list("element", "display")) == [("été_______", "été"), ("œuf_______", "œuf")]


def test_without_scripts_words_are_found_read_and_sorted(
    version: Version, tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    window = visit(scripts=False)
    page = window.page
    window.log_in("alice")
    upload(page, window.site, simulated(tmp_path), day=1)
    follow(page.get_by_text("Aggregate now"))
    expect(page.locator(".stages li")).to_have_count(len(STAGES))
    run = Run.objects.get()
    # Nobody reloads the page: it loads itself anew, which could come in between.
    begin(run.pk)
    expect(page.locator(".stages [aria-current=step]")).to_contain_text("Sketching days")
    finish_inline(run.pk, lambda _progress: None)
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


def test_who_leaves_unsaved_choices_is_asked(published: Run, visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.page
    window.log_in("alice")
    page.goto(window.site + SORT)
    verdicts = page.locator("#line-0")
    back = page.locator(".crumb a")
    verdicts.get_by_label("rejected").check()
    verdicts.get_by_label("undecided").check()
    follow(back)  # as it was: nobody asks
    page.wait_for_url(f"**{PAGE}*")
    page.goto(window.site + SORT)
    verdicts.get_by_label("rejected").check()
    window.leave = False
    with page.expect_event("dialog"):
        back.click(no_wait_after=True)
    expect(verdicts.get_by_label("rejected")).to_be_checked()
    assert page.url == window.site + SORT
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


@pytest.mark.parametrize("scripts", [True, False])
def test_the_button_stays_within_reach_and_covers_no_field(
    published: Run, visit: Callable[..., Visit], scripts: bool
) -> None:
    window = visit(width=360, scripts=scripts)
    page = window.page
    window.log_in("alice")
    page.goto(window.site + SORT)
    button = page.get_by_role("button", name="Save what was changed")
    expect(button).to_have_count(1)
    for place in range(len(WORDS["en_US"])):
        note = page.locator(f"#note-{place}")
        page.locator(f"#line-{place} input:checked").evaluate("field => field.focus({preventScroll: true})")
        # To where the bar is, if the page is long enough.
        note.evaluate("field => scrollBy(0, field.getBoundingClientRect().bottom - innerHeight)")
        page.keyboard.press("Tab")
        expect(note).to_be_focused()
        bar, field = page.locator(".sorting-save").bounding_box(), note.bounding_box()
        assert bar is not None
        assert field is not None
        assert bar["y"] + bar["height"] <= 900
        assert 0 <= field["y"] <= bar["y"] - field["height"]
