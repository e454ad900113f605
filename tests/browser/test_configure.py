"""A use case from nothing: defined in the admin, without reading code."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from reports.definitions import draft_from
from reports.models import Version
from reports.words import Decided, decide
from tests.browser.conftest import Visit, follow
from tests.browser.test_looks import OUT_OF_REACH, PALE_TEXTS, looks
from tests.reports.found_words import define_search, find

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DICTIONARY = """element,display,category
video.example,Video,video
Film.example.,Film,video
film.example,Film again,video
shop.example,Shop,shopping
news.example,News,news
localhost,,
"""
LINES_OF_TEXT = """cell => {
  const text = document.createRange();
  text.selectNodeContents(cell);
  return text.getClientRects().length;
}"""


@pytest.fixture
def root(transactional_db: None) -> User:
    return User.objects.create_superuser("root", password="password")


def submit(page: Page, words: str) -> None:
    follow(page.get_by_role("button", name=words, exact=True))


def define_use_case(page: Page) -> None:
    follow(page.get_by_role("link", name="Admin", exact=True))
    follow(page.locator(".model-usecase .addlink").first)
    page.locator("#id_title").press_sequentially("Loud domains")
    expect(page.locator("#id_slug")).to_have_value("loud-domains")
    page.fill("#id_slug", "Loud Domains")
    page.fill("#id_minimum_reports", "1000")
    submit(page, "Save")
    expect(page.locator(".field-slug .errorlist")).to_contain_text("lower-case letters and digits")
    page.fill("#id_slug", "loud-domains")
    submit(page, "Save")
    expect(page.locator("#versions")).to_contain_text("None yet")


def draft_version(page: Page) -> None:
    follow(page.get_by_text("Add a version"))
    expect(page.locator("#id_use_case option:checked")).to_have_text("Loud domains")
    page.select_option("#id_algorithm", "HadamardCountMeanSketch")
    page.fill("#id_epsilon", "4")
    page.fill("#id_k", "1024")
    page.fill("#id_m", "1000")
    page.select_option("#id_normalization", "domain")
    submit(page, "Save")
    expect(page.locator(".field-m .errorlist")).to_contain_text("power of two")
    page.fill("#id_m", "1024")
    submit(page, "Save")
    expect(page.locator("#consequences")).to_contain_text("there is no dictionary yet")


def add_dictionary(page: Page) -> None:
    follow(page.get_by_role("link", name="Dictionary", exact=True))
    page.fill("#id_text", DICTIONARY)
    page.check("input[value=csv]")
    submit(page, "Preview")
    expect(page.get_by_role("region", name="Refused")).to_contain_text("line 7")
    expect(page.get_by_role("region", name="Merged")).to_contain_text("line 4")
    expect(page.get_by_role("region", name="Written differently")).to_contain_text("Film.example.")
    expect(page.get_by_role("region", name="Categories")).to_contain_text("shopping")
    submit(page, "Save as revision 1")
    expect(page.locator(".steps")).to_contain_text("has 4 elements")


def activate(page: Page) -> None:
    page.fill("#id_epsilon", "5")
    page.fill("#id_m", "1000")
    submit(page, "Save and activate…")
    expect(page.locator(".field-m .errorlist")).to_contain_text("power of two")
    page.fill("#id_m", "1024")
    submit(page, "Save and activate…")
    expect(page.locator("#rules div").filter(has_text="ε of a report").locator("dd")).to_have_text("5")
    expect(page.locator("#consequences")).to_contain_text("Smallest share to be seen")
    expect(page.locator("#content-main")).to_contain_text("are frozen for good")
    submit(page, "Activate")
    expect(page.locator("#frozen")).to_contain_text("Hadamard Count Mean Sketch")
    assert page.locator("#id_epsilon").count() == 0


def test_from_nothing_to_an_active_version(root: User, visit: Callable[..., Visit]) -> None:
    """The steps are those that the documentation gives a newcomer, in its order; `test_journey` goes on to a chart."""
    window = visit()
    page = window.page
    window.log_in("root")
    page.goto(window.site)
    define_use_case(page)
    draft_version(page)
    add_dictionary(page)
    activate(page)


def assert_fits_and_reads(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), page.url
    # The header above is Django's own.
    pale = page.evaluate("(" + PALE_TEXTS.replace("document.body", "document.querySelector('#content')") + ")()")
    assert pale == [], page.url
    assert page.evaluate(OUT_OF_REACH) == [], page.url


def test_pages_of_the_admin_fit_and_can_be_read(root: User, version: Version, visit: Callable[..., Visit]) -> None:
    """With an alphabet as long as may be, the dictionary of the longest name, and one that is refused in parts."""
    letters = "".join(map(chr, [*range(ord("а"), ord("а") + 32), *range(ord("ա"), ord("ա") + 32)]))
    search = define_search(locales=["bg_BG", "ru_RU"], alphabet={"bg_BG": letters, "ru_RU": letters})
    find(search, ["слово"], locale="ru_RU")
    decide(root, search.use_case, "ru_RU", [Decided("слово", "accepted", "n" * 80, "m" * 500)])
    draft = draft_from(search)
    window = visit()
    window.log_in("root")
    page = window.page
    for name, pk in (
        ("version_change", search.pk),
        ("version_change", draft.pk),
        ("version_activate", draft.pk),
        ("usecase_change", search.use_case.pk),
        ("version_dictionary", version.pk),
    ):
        page.goto(f"{window.site}{reverse(f'admin:reports_{name}', args=[pk])}")
        for _look in looks(page):
            assert_fits_and_reads(page)
    assert page.locator("#id_named option").count() == 2
    page.goto(f"{window.site}{reverse('admin:reports_usecase_change', args=[version.use_case.pk])}")
    page.set_viewport_size({"width": 800, "height": 900})
    state = page.locator("#versions td").first
    expect(state).to_have_text("active")
    assert state.evaluate(LINES_OF_TEXT) == 1
    page.goto(f"{window.site}{reverse('admin:reports_version_dictionary', args=[draft_from(version).pk])}")
    page.fill("#id_text", DICTIONARY + "<script>,,\n")
    page.check("input[value=csv]")
    submit(page, "Preview")
    for _look in looks(page):
        assert_fits_and_reads(page)


def test_only_what_the_algorithm_has_a_use_for_is_shown(
    root: User, version: Version, visit: Callable[..., Visit]
) -> None:
    window = visit()
    window.log_in("root")
    page = window.page
    page.goto(f"{window.site}{reverse('admin:reports_version_add')}?use_case={version.use_case.slug}")
    own, words_alone, asked = (
        page.locator(f"#id_{name}") for name in ("fragment_epsilon", "alphabet", "normalization")
    )
    for algorithm, finds_words in (("SequenceFragmentPuzzle", True), ("CountMeanSketch", False)):
        page.select_option("#id_algorithm", algorithm)
        expect(asked).to_be_visible(visible=not finds_words)
        if not finds_words:
            page.select_option("#id_normalization", "raw")
        for field in (own, words_alone):
            expect(field).to_be_visible(visible=finds_words)
        if finds_words:
            page.fill("#id_fragment_epsilon", "6")
    # In the words of the algorithm, and without a seed where there is none.
    for algorithm, name, label in (
        ("SampledFragmentPuzzle", "g", "Buckets of words (g):"),
        ("LocalHashing", "g", "Buckets of local hashing (g):"),
        ("SubsetSelection", "other", "Count anything else"),
    ):
        page.select_option("#id_algorithm", algorithm)
        expect(page.locator(f".field-{name} label")).to_have_text(label)
        expect(page.locator("#id_seed")).to_be_visible(visible=algorithm != "SubsetSelection")
    page.select_option("#id_algorithm", "CountMeanSketch")
    # Values filled in before, for another algorithm, are not sent. Missing ones are filled in.
    page.fill("#id_epsilon", "4")
    submit(page, "Save")
    expect(page.locator(".messagelist")).to_contain_text("as the planner suggests")
    expect(page.locator("#consequences")).to_be_visible()
