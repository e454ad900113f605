"""The page on which visitors make a device's record themselves: what it shows is true, and nothing leaves it."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from aggregation.mechanisms import SampledFragmentPuzzle, SequenceFragmentPuzzle, mechanism_for
from reports.models import Version
from reports.web.pages.what_leaves.recorded_example import RECORD
from reports.web.pages.what_leaves.what_leaves_texts import SUGGESTIONS
from tests.browser.conftest import Visit
from tests.browser.test_device_script import likelihood
from tests.browser.test_looks import FADED, OPENED, assert_fits_and_reads
from tests.reports.small_fleet import define, define_words, words_definition
from tests.worlds import once

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ADDRESS = reverse("what_leaves")
SEED = "000102030405060708090a0b0c0d0e0f"
# As pages are that come by http, and browsers of old.
WITHOUT_WEBCRYPTO = (
    "Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined });",
    "Object.defineProperty(globalThis, 'crypto', { value: undefined });",
)


@once
def define_all() -> Version:
    """One of every mechanism and of every way to normalise."""
    parameters = {"epsilon": 4, "k": 1024, "m": 1024, "seed": SEED}
    hosts = {"algorithm": "HadamardCountMeanSketch", "normalization": "domain", "dictionary": ["a.example"]}
    define(slug="emoji", title="Emoji", normalization="emoji", dictionary=["😂"], parameters=parameters)
    define_words()
    local = {"algorithm": "LocalHashing", "normalization": "domain", "dictionary": ["a.example"]}
    define(slug="local", title="Hosts, hashed", locales=["und"], **local, parameters={"epsilon": 4, "k": 64, "g": 56})
    puzzle = {"epsilon": 2, "k": 64, "g": 8, "fragment_k": 16, "fragment_g": 9, "fragment_share": 0.6, "length": 4}
    define_words(slug="sampled", title="New words, sampled", algorithm="SampledFragmentPuzzle", parameters=puzzle)
    drinks = {"algorithm": "SubsetSelection", "dictionary": [*"abcdefghi", "tea"], "locales": ["und"]}
    define(slug="drinks", title="Drinks", parameters={"epsilon": 1, "w": 3, "other": True}, **drinks)
    define(slug="hosts", title="Hosts", locales=["und"], parameters=parameters, **hosts)
    return define()


@pytest.fixture
def use_cases(transactional_db: None) -> dict[str, Version]:
    define_all()
    return {version.use_case.slug: version for version in Version.objects.all()}


@pytest.fixture
def window(use_cases: dict[str, Version], visit: Callable[..., Visit]) -> Visit:
    opened = visit()
    begin(opened)
    return opened


def begin(window: Visit) -> None:
    window.page.goto(window.site + ADDRESS)
    expect(window.page.locator("#leaves-result")).to_be_visible()


def choose(page: Page, use_case: Version) -> None:
    page.select_option("#leaves-use-case", label=use_case.use_case.title)
    expect(page.locator("#leaves-result")).to_be_visible()


def type_in(page: Page, text: str) -> None:
    """And wait for the record about it, but not for another key: Enter says that none comes."""
    page.fill("#leaves-typed", text)
    page.press("#leaves-typed", "Enter")
    expect(page.locator("#leaves-summary")).to_contain_text(f"about “\u2068{text}\u2069”")


def record(page: Page) -> str:
    return page.locator("#leaves-record").inner_text()


def again(page: Page) -> str:
    """Draw until another record comes: of a subset there are few enough for the same one to come twice in a row."""
    before = record(page)
    while True:
        page.click("#leaves-again")
        with suppress(AssertionError):
            expect(page.locator("#leaves-record")).not_to_have_text(before, timeout=2000)
            return record(page)


def meaning(page: Page) -> str:
    return page.locator("#leaves-meaning").inner_text()


def lines(page: Page) -> list[list[str]]:
    return [row.locator("th, td").all_inner_texts() for row in page.locator("#leaves-others tr").all()]


# --- What it shows ---


def check_likelihoods(page: Page, version: Version, typed: str, locale: str) -> None:
    """The table against the definition of the mechanism, on the server's side."""
    shown, text = lines(page), record(page)
    elements = [version.element(name, locale) for name, *_rest in shown]
    assert elements[0] == version.element(typed, locale)
    assert len(set(elements)) == len(elements) > 3
    exact = [likelihood(version.device_mechanism, element or "", text) for element in elements]
    total = sum(exact)
    for (_name, _own, _chance, relation, belief), chance in zip(shown, exact, strict=True):
        share = float(100 * chance / total)
        expected = f"{share:.1f}\u00a0%" if 0.05 <= share <= 99.9 else "under" if share < 1 else "over"
        assert belief.startswith(expected)
        if chance != exact[0]:
            times = max(chance / exact[0], exact[0] / chance)
            assert float(relation.split()[0].replace(",", "")) == pytest.approx(float(times), rel=6e-3)
    assert shown[0][3] == "the input"
    assert [row[3] == "equally likely" for row in shown[1:]] == [chance == exact[0] for chance in exact[1:]]


def test_records_are_explained_as_the_server_reads_them(window: Visit, use_cases: dict[str, Version]) -> None:
    """Bits, a sign, a bucket, a word with and without a fragment, a subset, and a text that stays as it is."""
    read_bits(window.page, use_cases["emoji"])
    read_sign(window.page, use_cases["hosts"])
    read_bucket(window.page, use_cases["local"])
    read_word(window.page, use_cases["words"])
    read_word_or_letters(window.page, use_cases["sampled"])
    read_subset(window.page, use_cases["drinks"])
    choose(window.page, use_cases["fruits"])
    type_in(window.page, "Elderberry Pie")
    check_likelihoods(window.page, use_cases["fruits"], "Elderberry Pie", "en_US")


def read_bits(page: Page, version: Version) -> None:
    mechanism: Any = version.mechanism
    # Emoji are what is shown first, however the use cases are called.
    expect(page.locator("#leaves-use-case option:checked")).to_have_text("Emoji")
    assert page.locator("#leaves-note").inner_text() == ""
    type_in(page, "🏳️‍🌈")
    for _time in range(2):
        line = again(page)
        row, digits = line.split(",")
        assert mechanism.parse_records([line]).rejected == []
        hot = mechanism.family.bucket(version.element("🏳️‍🌈", "en_US"), int(row), 1024)
        ones, value = int(digits, 16).bit_count(), int(digits, 16) >> (1023 - hot) & 1
        told = meaning(page)
        assert f"Row {row}, drawn at random from 1,024" in told
        assert f"bit {hot} stands for" in told
        assert f"Now {ones} are 1" in told
        assert f"Bit {hot} is {value}: the noise has {'left' if value else 'turned'} it" in told
        assert "11.9\u00a0%" in told
        name = f"{ones} are 1. The ring is around bit {hot}, which is {value}."
        assert page.get_by_role("img", name=name).is_visible()
        ring = page.locator("#leaves-meaning rect")
        assert (ring.get_attribute("x"), ring.get_attribute("y")) == (str(hot % 32), str(hot // 32))
        assert str(page.locator("#leaves-meaning path").get_attribute("d")).count("M") == ones
        check_likelihoods(page, version, "🏳️‍🌈", "en_US")
    expect(page.locator("#leaves-conclusions")).to_contain_text("54.6 times")
    expect(page.locator("#leaves-costs")).to_contain_text("at most 1")


def read_sign(page: Page, version: Version) -> None:
    mechanism: Any = version.mechanism
    choose(page, version)
    expect(page.locator("#leaves-locale-field")).to_be_hidden()
    type_in(page, "www.charlie.example")
    for _time in range(2):
        row, coordinate, sign = again(page).split(",")
        hot = mechanism.family.bucket("www.charlie.example", int(row), 1024)
        honest = "−1" if (hot & int(coordinate)).bit_count() % 2 else "1"
        told = meaning(page)
        assert f"Row {row} of 1,024 and coordinate {coordinate} of 1,024" in told
        assert f"is {honest}. It was turned over with a probability of 1.8\u00a0%" in told
        assert ("left the answer" if sign.replace("-", "−") == honest else "turned the answer") in told
        check_likelihoods(page, version, "www.charlie.example", "und")
    type_in(page, "WWW.example.ORG.")
    expect(page.locator("#leaves-note")).to_have_text("Counted as “\u2068www.example.org\u2069”.")


def read_bucket(page: Page, version: Version) -> None:
    mechanism: Any = version.mechanism
    choose(page, version)
    type_in(page, "www.charlie.example")
    expect(page.locator("#leaves-own")).to_have_text("Its bucket")
    for _time in range(2):
        row, sent = map(int, again(page).split(","))
        own = mechanism.family.bucket("www.charlie.example", row, 56)
        told = meaning(page)
        assert f"Row {row}, drawn at random from 64" in told
        assert f"is in bucket {own}" in told
        assert (
            f"names bucket {sent}: its own" if own == sent else f"names bucket {sent}, which is none of its"
        ) in told
        assert "50.2\u00a0%" in told
        check_likelihoods(page, version, "www.charlie.example", "und")


def read_subset(page: Page, version: Version) -> None:
    choose(page, version)
    type_in(page, "tea")
    expect(page.locator("#leaves-note")).to_contain_text("so these are public")
    for _time in range(2):
        line = again(page)
        assert version.mechanism.parse_records([line]).rejected == []
        told = meaning(page)
        assert "names 3 of the 11 elements" in told
        assert "The number of “\u2068tea\u2069” is 9." in told
        assert ("It is named: " in told) == ("9" in line.split(","))
        check_likelihoods(page, version, "tea", "und")
    expect(page.locator("#leaves-tally")).to_contain_text("The noise left the own element out in")
    type_in(page, "wine")
    expect(page.locator("#leaves-note")).to_contain_text("reported as “anything else”")
    assert "is 10." in meaning(page)
    type_in(page, "tea")
    page.get_by_role("group", name="Suggestions").get_by_role("button", name="anything else").click()
    expect(page.locator("#leaves-note")).to_contain_text("reported as “anything else”")
    assert "is 10." in meaning(page)


def read_word(page: Page, version: Version) -> None:
    mechanism = version.mechanism
    assert isinstance(mechanism, SequenceFragmentPuzzle)
    choose(page, version)
    page.select_option("#leaves-locale", label="French (France)")
    type_in(page, "été")
    for _time in range(2):
        line = again(page)
        assert mechanism.parse_records([line]).rejected == []
        position, row, _fragment, word_row, _bits = line.split(",")
        fragment = mechanism.fragment_of("été_", int(position))
        told = meaning(page)
        assert f"Position {position}, drawn at random" in told
        assert f"Puzzle {fragment[:2]}:" in told
        assert f"\u2068{fragment}\u2069" in told
        for sketch, element, place in ((mechanism.fragments, fragment, row), (mechanism.words, "été_", word_row)):
            assert f"Row {place}, drawn at random from 64" in told
            assert f"bit {sketch.family.bucket(element, int(place), 256)} stands for" in told
        check_likelihoods(page, version, "été", "fr_FR")
    expect(page.locator("#leaves-meaning").get_by_role("img")).to_have_count(2)
    # e to the power of both together.
    expect(page.locator("#leaves-conclusions")).to_contain_text("8,890,000 times")


def read_word_or_letters(page: Page, version: Version) -> None:
    """Until there was a record of each kind: at a share of 0.6, forty of one kind have a chance of 2e-9."""
    mechanism = version.mechanism
    assert isinstance(mechanism, SampledFragmentPuzzle)
    choose(page, version)
    page.select_option("#leaves-locale", label="French (France)")
    type_in(page, "été")
    expect(page.locator("#leaves-own")).to_have_text("Its bucket")
    places: set[int] = set()
    while not {0} < places and page.locator("#leaves-earlier").get_attribute("start") != "40":
        line = again(page)
        assert mechanism.parse_records([line]).rejected == []
        position, row, sent = map(int, line.split(","))
        fragment = mechanism.fragment_of("été_", position) if position else None
        element, sketch = (fragment, mechanism.fragments) if fragment else ("été_", mechanism.words)
        told = meaning(page)
        if fragment:
            assert f"the record is about characters {position} and {position + 1} of the word" in told
            assert f"Puzzle {fragment[:2]}:" in told
            assert f"“\u2068{fragment}\u2069” is in bucket" in told
        else:
            assert "Position 0, drawn at random without looking at the word: the record is about the whole word" in told
            assert "Puzzle" not in told
        assert f"Row {row}, drawn at random from {sketch.k}" in told
        own = sketch.family.bucket(element, row, sketch.g)
        assert f"is in bucket {own}" in told
        assert (
            f"names bucket {sent}: its own" if own == sent else f"names bucket {sent}, which is none of its"
        ) in told
        check_likelihoods(page, version, "été", "fr_FR")
        places.add(position)
    assert {0} < places <= {0, 1, 3}
    # All of ε, on the one or the other.
    expect(page.locator("#leaves-conclusions")).to_contain_text("7.39 times")
    expect(page.locator("#leaves-tally")).to_contain_text(
        "of them are about two letters, where 60.0\u00a0% is the average"
    )


def test_records_differ_and_their_documents_are_those_that_the_server_takes(
    window: Visit, use_cases: dict[str, Version]
) -> None:
    page = window.page
    type_in(page, "🔥")
    made = [record(page), *(again(page) for _time in range(6))]
    assert len(set(made)) == 7
    listed = page.locator("#leaves-earlier li")
    expect(listed).to_have_count(5)
    # The newest first, numbered from the first that was made.
    assert page.locator("#leaves-earlier").get_attribute("start") == "7"
    heads = [item.locator("code").inner_text() for item in listed.all()]
    assert heads == [line[:80] for line in reversed(made[2:])]
    expect(page.locator("#leaves-tally")).to_contain_text("Records made so far: 7")
    type_in(page, "🎉")
    expect(listed).to_have_count(1)
    expect(page.locator("#leaves-tally")).to_contain_text("Records made so far: 1")
    page.select_option("#leaves-locale", label="French (France)")
    type_in(page, "🔥")
    page.get_by_text("The whole document").click()
    document = page.locator("#leaves-document").evaluate("(pre) => JSON.parse(pre.textContent)")
    (segment,) = document["segments"]
    assert document == {"version": 1, "segments": [segment]}
    assert segment == {
        "use_case": "emoji",
        "locale": "fr_FR",
        "algorithm": use_cases["emoji"].algorithm,
        "parameters": use_cases["emoji"].parameters,
        "records": [record(page)],
    }
    assert mechanism_for(segment["algorithm"], segment["parameters"]) == use_cases["emoji"].mechanism


# --- What it does not do ---


def test_nothing_that_is_typed_leaves_or_stays(use_cases: dict[str, Version], visit: Callable[..., Visit]) -> None:
    window = visit(own=True)
    begin(window)
    page, context = window.page, window.context
    requests: list[str] = []
    context.on("request", lambda request: requests.append(request.url))
    # Without a connection it works all the same.
    context.set_offline(True)
    for version, text in ((use_cases["fruits"], "secret🔥"), (use_cases["hosts"], "secret.example")):
        choose(page, version)
        page.locator("#leaves-typed").clear()
        page.locator("#leaves-typed").press_sequentially(text)
        expect(page.locator("#leaves-summary")).to_contain_text(text)
        again(page)
        page.press("#leaves-typed", "Enter")
    assert requests == []
    assert page.url == window.site + ADDRESS
    assert page.evaluate("history.length") == 2  # the empty page that a window begins with, and this one
    assert context.cookies() == []
    kept = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])"
    assert "secret" not in page.evaluate(kept)
    assert page.evaluate("indexedDB.databases()") == []
    assert page.evaluate("caches.keys()") == []
    assert page.evaluate("performance.getEntriesByType('resource').filter((one) => one.name.includes('secret'))") == []
    context.set_offline(False)
    # Nor is it there when one comes again.
    page.reload()
    expect(page.locator("#leaves-result")).to_be_visible()
    assert page.locator("#leaves-typed").input_value() == SUGGESTIONS["emoji"][0]


SET = "(field, text) => { field.value = text; field.dispatchEvent(new Event('input')); }"


def typed(page: Page, text: str) -> Locator:
    """Set as a script does, so that it may be half a character; returns where the page answers."""
    page.locator("#leaves-typed").evaluate(SET, text)
    page.press("#leaves-typed", "Enter")
    return page.locator("#leaves-summary")


def test_what_is_not_reported_is_explained(window: Visit, use_cases: dict[str, Version]) -> None:
    page = window.page
    for text, words in (("", "Type something"), ("   ", "Type something"), ("\ufe0f", "Type something")):
        expect(typed(page, text)).to_contain_text(words)
    half = page.locator("#leaves-typed")
    half.evaluate("(field) => { field.value = 'a\\ud83d'; field.dispatchEvent(new Event('input')); }")
    expect(page.locator("#leaves-summary")).to_contain_text("lone surrogate")
    expect(page.locator("#leaves-result")).to_be_hidden()
    expect(page.locator("#leaves-again")).to_be_disabled()
    for text in ("hello", "secret🔥", "🔥🎉"):
        expect(typed(page, "👩🏽‍🚀")).to_contain_text("👩🏽‍🚀")
        expect(page.locator("#leaves-result")).to_be_visible()
        expect(typed(page, text)).to_contain_text("A device reports nothing: this is not one emoji")
        expect(page.locator("#leaves-result")).to_be_hidden()
        expect(page.locator("#leaves-again")).to_be_disabled()
    expect(typed(page, "👩🏽‍🚀")).to_contain_text("👩🏽‍🚀")
    expect(page.locator("#leaves-note")).to_have_text("")
    choose(page, use_cases["words"])
    expect(typed(page, "a_b")).to_contain_text("words with “_” are left out")
    expect(typed(page, "ab<i>")).to_contain_text("“\u2068<\u2069” is not in the alphabet")
    expect(page.locator("#leaves-summary")).to_contain_text(words_definition()["alphabet"]["en_US"])
    expect(typed(page, "LOLstable")).to_contain_text("“\u2068lols\u2069”")
    expect(page.locator("#leaves-note")).to_contain_text("Only the first 4 characters")
    expect(page.locator("#leaves-result")).to_be_visible()
    choose(page, use_cases["hosts"])
    expect(typed(page, "localhost")).to_contain_text("no full host name")
    expect(typed(page, "bücher.example")).to_contain_text("plain host names only")


HOSTILE = ("<b>x</b>", "<img src=x>", "&lt;b>", "a" * 5000, "שלום\u202eabc", "%(row)s %% $&")


def test_hostile_text_stays_text(window: Visit, use_cases: dict[str, Version]) -> None:
    page, version = window.page, use_cases["fruits"]
    page.set_viewport_size({"width": 360, "height": 900})
    choose(page, version)
    expect(page.locator("#leaves-note")).to_contain_text("The suggestions are stand-ins")
    for text in HOSTILE:
        shown = text if len(text) <= 40 else text[:40] + "…"
        expect(typed(page, text)).to_contain_text(f"“\u2068{shown}\u2069”")
        assert lines(page)[0][0] == shown
        assert page.locator("#live :is(b, img)").count() == 0
        assert page.locator("#leaves-others .element *").count() == 0
        assert likelihood(version.mechanism, version.element(text, "en_US") or "", record(page)) > 0
        assert_fits_and_reads(page)


# --- For everybody ---


def test_records_of_each_use_case_fit_and_can_be_read(window: Visit, use_cases: dict[str, Version]) -> None:
    page = window.page
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(OPENED)
    for width, colours in ((360, "dark"), (900, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
        page.evaluate(FADED)
        for version in use_cases.values():
            choose(page, version)
            assert_fits_and_reads(page)
            hidden = page.locator("#live .leaves-others").evaluate("(side) => side.scrollWidth - side.clientWidth")
            assert hidden <= 0, (width, version)


def test_page_works_by_keyboard_and_by_its_suggestions(window: Visit, use_cases: dict[str, Version]) -> None:
    page = window.page
    page.get_by_role("combobox", name="Use case").focus()
    for name in ("Language or region", "An emoji", "Again"):
        page.keyboard.press("Tab")
        assert page.locator(":focus").evaluate("(field) => field.labels?.[0]?.textContent || field.textContent") == name
    status = page.get_by_role("status").filter(visible=True)
    expect(status).to_have_count(1)
    before = status.inner_text()
    assert before.startswith("A new record about")
    page.keyboard.press("Enter")
    expect(status).not_to_have_text(before)
    # The button stays where it was for the next press.
    expect(page.get_by_role("button", name="Again")).to_be_focused()
    assert page.get_by_label("An emoji").get_attribute("aria-describedby") == "leaves-note"
    expect(page.get_by_role("group", name="Suggestions")).to_be_visible()
    suggestions = page.locator("#leaves-suggestions button")
    assert suggestions.all_inner_texts() == SUGGESTIONS["emoji"]
    suggestions.nth(3).click()
    expect(page.locator("#leaves-summary")).to_contain_text("😭")
    # An alphabet that has none of the listed words: the letters are put together.
    choose(page, use_cases["words"])
    alphabet = set(words_definition()["alphabet"]["en_US"])
    offered = suggestions.all_inner_texts()
    assert len(offered) > 3
    assert all(set(word) <= alphabet for word in offered)


def test_without_webcrypto_it_says_so_and_shows_an_example(
    use_cases: dict[str, Version], visit: Callable[..., Visit]
) -> None:
    for missing in WITHOUT_WEBCRYPTO:
        window = visit(width=360, own=True)
        page = window.page
        page.add_init_script(missing)
        page.goto(window.site + ADDRESS)
        expect(page.locator("#no-crypto")).to_contain_text("only to pages that come by https")
        expect(page.get_by_role("heading", name="A recorded example")).to_be_visible()
        expect(page.locator("#example .leaves-record")).to_have_text(RECORD)
        expect(page.locator("#live")).to_be_hidden()
        expect(page.get_by_role("textbox")).to_have_count(0)
        assert_fits_and_reads(page)


def test_without_scripts_there_is_an_example(use_cases: dict[str, Version], visit: Callable[..., Visit]) -> None:
    window = visit(width=360, dark=True, scripts=False)
    page = window.page
    page.goto(window.site + ADDRESS)
    expect(page.locator("noscript p")).to_contain_text("Yours runs none")
    expect(page.locator("#example .leaves-record")).to_have_text(RECORD)
    expect(page.get_by_role("img", name="The ring is around bit 178, which is 1.")).to_be_visible()
    for part in ("#live", "#no-crypto"):
        expect(page.locator(part)).to_be_hidden()
    assert_fits_and_reads(page)


def test_a_script_that_does_not_come_leaves_the_example(
    use_cases: dict[str, Version], visit: Callable[..., Visit]
) -> None:
    window = visit(own=True)
    page = window.page
    script = finders.find("reports/device.js")
    assert isinstance(script, str)
    broken = Path(script).read_text(encoding="utf-8").replace("export", "exprot", 1)
    page.route("**/device.js", lambda route: route.fulfill(body=broken, content_type="text/javascript"))
    page.goto(window.site + ADDRESS)
    expect(page.locator("#no-script")).to_be_visible()
    expect(page.locator("#example")).to_be_visible()
    expect(page.locator("#live")).to_be_hidden()
