"""The page that compares: one query for page and files, one address for each view, and plain words for each state."""

import csv
import html
import io
import json
import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils.translation import override

from reports.models import HistogramEntry, ReadOut, Run, UseCase, Version, Viewing, failures
from reports.numbers import day_range
from reports.pages.compare import chart as compare_chart
from reports.pages.compare import numbers as compare_numbers
from reports.pages.compare.facts import side_names
from reports.pages.compare.numbers import at_most, difference, digits_for, points
from reports.pages.compare.table import but
from reports.results import HistogramQuery, State
from reports.results.comparison.query import ComparisonQuery
from reports.results.comparison.rows import Row, Share, Verdict
from reports.results.comparison.sides import Side
from reports.results.comparison.view import ComparisonView
from reports.results.known import sum_of
from reports.runs import start_run
from tests.reports.comparing import EATEN, send_shares
from tests.reports.pages.reading import chart, table, words
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/compare/"


@pytest.fixture
def both(db: None) -> Version:
    version = define()
    for seed, locale in ((0, "en_US"), (2, "fr_FR")):  # with almost as many bananas
        send_shares(version, 3000, locale=locale, day=days_ago(1), seed=seed)
    aggregate(version)
    return version


def exported(client: Client, response: Any, form: str) -> Any:
    found = re.search(rf'href="([^"]*comparison\.{form}\?[^"]*)"', response.content.decode())
    assert found is not None
    answer = client.get(html.unescape(found[1]))
    assert answer.status_code == 200
    content = answer.getvalue().decode()
    return json.loads(content) if form == "json" else list(csv.DictReader(io.StringIO(content)))


def cells(response: Any) -> dict[str, list[str]]:
    """The text of each cell of a row, by element."""
    found = {}
    for row in re.findall(r'<tr role="row" class=.*?</tr>', response.content.decode(), re.DOTALL):
        texts = [
            re.sub(r"[ \n]+", " ", html.unescape(re.sub(r"<[^>]*>", " ", cell))).strip()
            for cell in re.findall(r"<t[hd] role=.*?</t[hd]>", row, re.DOTALL)
        ]
        found[texts[0]] = texts[1:]
    return found


@pytest.mark.usefixtures("both")
def test_page_csv_json_and_chart_have_the_same_rows(as_bob: Client) -> None:
    for query in ("", "?sort=-name", "?q=an", "?sort=second&top=10", "?locale=fr_FR", "?days=1&other-locale=fr_FR"):
        response = as_bob.get(PAGE + query, follow=True)
        shown = table(response)
        assert shown
        assert [row["element"] for row in exported(as_bob, response, "csv")] == shown
        document = exported(as_bob, response, "json")
        assert [entry["element"] for entry in document["entries"]] == shown
        assert chart(response)["layout"]["yaxis"]["ticktext"] == shown


@pytest.mark.usefixtures("both")
def test_the_numbers_of_the_table_are_those_of_the_file(as_bob: Client) -> None:
    response = as_bob.get(PAGE)
    shown = cells(response)
    assert len(shown) == 4
    for row in exported(as_bob, response, "csv"):
        first, second, difference, verdict = shown[row["element"]]
        for cell, side in ((first, "first"), (second, "second")):
            if row[f"{side}_share"]:
                numbers = (float(row[f"{side}_{name}"]) for name in ("share", "share_lower", "share_upper"))
                share, lower, upper = (100 * number for number in numbers)
                assert cell == f"{share:.2f}\u00a0% {lower:.2f} – {upper:.2f}\u00a0%"
            else:
                assert cell.startswith("below T at most ")
                bound = float(cell.removeprefix("below T at most ").removesuffix("\u00a0%"))
                assert 0 <= bound - 100 * float(row[f"{side}_share_at_most"]) <= 0.01
        least, most = (f"{100 * float(row[f'difference_{end}']):+.2f}".replace("-", "−") for end in ("lower", "upper"))
        if row["difference"]:
            number = f"{100 * float(row['difference']):+.2f}".replace("-", "−")
            assert difference == f"{number} {least} to {most}"
        assert (
            verdict
            == {
                "more-in-first": "clearly more in English (United States)",
                "more-in-second": "clearly more in French (France)",
                "no-clear-difference": "no clear difference",
            }[row["verdict"]]
        )


@pytest.mark.usefixtures("both")
def test_below_the_threshold_a_bound_is_said_and_so_of_the_difference(as_bob: Client) -> None:
    _first, second, difference, verdict = cells(as_bob.get(PAGE))["date"]
    assert re.fullmatch(r"below T at most \d+\.\d\d\u00a0%", second)
    assert re.fullmatch(r"at least \+\d+\.\d\d \+\d+\.\d\d to \+\d+\.\d\d", difference)
    assert verdict == "clearly more in English (United States)"
    _first, _second, difference, verdict = cells(as_bob.get(PAGE + "?locale=fr_FR"))["date"]
    assert re.fullmatch(r"at most −\d+\.\d\d −\d+\.\d\d to −\d+\.\d\d", difference)
    assert verdict == "clearly more in English (United States)"


def test_what_is_below_the_threshold_is_in_no_answer(both: Version, as_bob: Client) -> None:
    """However it is written: as a count, a share or in percent, in table, chart or file."""
    revision = both.current_dictionary()
    assert revision is not None
    read_outs = list(ReadOut.objects.filter(version=both, locale="fr_FR"))
    counts = both.mechanism.estimate(sum_of(read_outs, revision.size), 3000)
    position = revision.entries.get(element="date").position
    answers = [
        as_bob.get(path).getvalue().decode()
        for path in (
            PAGE,
            f"{PAGE}?locale=fr_FR",
            "/use-cases/fruits/comparison.csv",
            "/use-cases/fruits/comparison.json",
            "/api/v1/use-cases/fruits/comparison/",
        )
    ]
    for element, hidden in (("date", True), ("apple", False)):
        count = float(counts[revision.entries.get(element=element).position])
        written = [repr(scale * count)[:8] for scale in (1, 1 / 3000, 100 / 3000)]
        for answer in answers:
            assert any(number in answer for number in written) is not hidden, element
    assert position == 3
    assert all("elderberry" not in answer for answer in answers)
    # In the chart it is the line to the bound, and no point.
    data = chart(as_bob.get(PAGE))["data"]
    assert [trace["mode"] for trace in data] == ["markers", "markers", "lines+markers"]
    assert [len(trace["x"]) for trace in data] == [4, 3, 3]


@pytest.mark.usefixtures("both")
def test_one_view_has_one_address(as_bob: Client) -> None:
    sent = {
        "locale": "en_US", "from": "", "to": "", "days": "", "other-locale": "fr_FR", "other-from": "", "other-to": "",
        "other-days": "", "top": "30", "q": " apple ", "version": "1", "sort": "difference", "utm": "x",
    }  # fmt: skip
    assert as_bob.get(PAGE, sent).headers["Location"] == f"{PAGE}?q=apple"
    assert as_bob.get(PAGE, {"top": "30"}).headers["Location"] == PAGE
    # The other locale is assumed only where it is another.
    assert as_bob.get(PAGE, {"locale": "fr_FR", "other-locale": "en_US"}).headers["Location"] == f"{PAGE}?locale=fr_FR"
    assert as_bob.get(PAGE, {"other-locale": "en_US"}).status_code == 200


@pytest.mark.usefixtures("both")
def test_the_sides_are_swapped_by_a_link_that_says_all(as_bob: Client) -> None:
    page = as_bob.get(PAGE)
    found = re.search(r'<a href="(\?[^"]*)">Swap A and B</a>', page.content.decode())
    assert found is not None
    swapped = as_bob.get(PAGE + html.unescape(found[1]))
    assert swapped.status_code == 200
    first = cells(page)["apple"]
    assert cells(swapped)["apple"][:2] == [first[1], first[0]]
    assert str(days_ago(1)) in found[1]


def test_both_windows_move_by_the_length_of_the_first_as_long_as_there_are_reports(as_bob: Client) -> None:
    version = define(locales=["en_US"])
    for day in (3, 2, 1):
        send_shares(version, 200, day=days_ago(day), seed=day)
    aggregate(version)
    page = words(as_bob.get(PAGE))
    assert 'rel="next"' not in page
    found = re.search(r'href="(\?[^"]*)" rel="prev"', page)
    assert found is not None
    assert found[1] == html.escape(
        f"?from={days_ago(2)}&to={days_ago(2)}&other-from={days_ago(3)}&other-to={days_ago(3)}"
    )
    page = words(as_bob.get(PAGE + html.unescape(found[1])))
    assert 'rel="prev"' not in page
    assert 'rel="next"' in page


def others(response: Any) -> dict[str, str]:
    """What the page offers to compare next: addresses by their words."""
    found = re.search(r'<nav class="windows" aria-label="Other comparisons">(.*?)</nav>', words(response))
    assert found is not None
    return {label: html.unescape(href) for href, label in re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)</a>', found[1])}


def test_only_comparisons_are_offered_of_which_there_is_something_to_see(as_bob: Client) -> None:
    version = define()
    for day in (4, 3, 2, 1):
        for locale in EATEN:
            if (day, locale) != (2, "fr_FR"):
                send_shares(version, 200, locale=locale, day=days_ago(day), seed=day)
    aggregate(version)
    newest = {name: str(days_ago(1)) for name in ("from", "to", "other-from", "other-to")}
    page = as_bob.get(PAGE, newest)
    assert [label.split(":")[0] for label in others(page)] == ["Swap A and B", "English (United States)"]
    for address in others(page).values():
        assert cells(as_bob.get(PAGE + address)), re.findall(r"<h2.*?</h3>", words(as_bob.get(PAGE + address)))
    # Two days before of both, and nothing after.
    two = {name: str(days_ago(3)) for name in ("from", "to", "other-from", "other-to")}
    written = day_range(days_ago(3), days_ago(3))
    assert list(others(as_bob.get(PAGE, two))) == [
        "Both earlier",
        "Swap A and B",
        *(f"{place}: {written} and the days before" for place in ("English (United States)", "French (France)")),
    ]


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize(
    ("query", "label"),
    [
        ("top=201", "Show the top"),
        ("top=0", "Show the top"),
        ("from=yesterday&version=9", "First side (A): From"),
        ("other-to=1&version=9", "Second side (B): To"),
        ("other-locale=xx", "Second side (B): Locale"),
        ("version=9", "Version"),
        ("sort=rank", "sort"),
    ],
)
def test_what_cannot_be_understood_is_said(query: str, label: str, as_bob: Client) -> None:
    response = as_bob.get(f"{PAGE}?{query}")
    assert response.status_code == 400
    assert f"<strong>{label}</strong>" in words(response)
    if query != "top=201":  # only a page has so many at most
        for path in ("comparison.csv", "comparison.json"):
            assert as_bob.get(f"/use-cases/fruits/{path}?{query}").status_code == 400


def test_each_state_has_its_own_words_and_the_next_step(as_alice: Client, as_bob: Client) -> None:
    version = define()
    assert "No reports of these days. Choose other days, or upload reports." in words(as_alice.get(PAGE))
    send_shares(version, 300, day=days_ago(1))
    assert "have not been counted: aggregate them" in words(as_alice.get(PAGE))
    assert "The owners of this use case can start a run." in words(as_bob.get(PAGE))
    run = start_run(version, ring=False)
    page = words(as_bob.get(PAGE))
    assert "Its reports are being counted." in page
    assert f'href="/runs/{run.pk}/"' in page
    Run.objects.update(state=Run.State.FAILED, failure="The disk is full.")
    page = words(as_bob.get(PAGE))
    assert "The latest run failed: The disk is full." in page
    assert "The owners of this use case can retry it." in page
    Run.objects.update(failure=failures.FILE_MISSING)
    assert "Un fichier de rapports manque" in words(as_bob.get(PAGE, headers={"accept-language": "fr"}))
    Run.objects.filter(pk=run.pk).update(state=Run.State.WAITING)
    send_shares(version, 99, locale="fr_FR", day=days_ago(1))
    aggregate(version)
    page = words(as_bob.get(PAGE))
    # Which of the two it is.
    assert re.search(
        r"A: English \(United States\), .*?Published: 300 reports.*?B: French \(France\), .*?Too few", page
    )
    assert "99" not in re.sub(r'<input[^>]*name="csrf[^>]*>', "", page)


def test_nothing_above_on_either_side_is_said(as_bob: Client) -> None:
    version = define(dictionary=["quince"])
    for locale in EATEN:
        send_shares(version, 500, locale=locale, day=days_ago(1))
    aggregate(version)
    assert "No element stands out from the noise on either side" in words(as_bob.get(PAGE))


def test_the_same_reports_and_lost_counts_are_said(both: Version, as_bob: Client) -> None:
    query = {"from": str(days_ago(1)), "other-locale": "en_US", "other-from": str(days_ago(1))}
    assert "Both sides are the same reports" in words(as_bob.get(PAGE, query))
    ReadOut.objects.filter(locale="fr_FR").delete()
    query = {"from": str(days_ago(1)), "to": str(days_ago(1))}
    assert "The counts behind these histograms are not kept" in words(as_bob.get(PAGE, query))


@pytest.mark.usefixtures("both")
def test_search_without_a_hit(as_bob: Client) -> None:
    page = words(as_bob.get(PAGE, {"q": "<i>"}))
    assert "is called “&lt;i&gt;”" in page
    assert "chart-figure" not in page


def test_elements_are_texts_and_nothing_else(as_bob: Client) -> None:
    hostile = ["<b>bold</b>", "=1+1", '<a href="//example.org">&quot;</a>', "</script><script>alert(1)</script>"]
    version = define(dictionary=[*hostile, "fig", "grape"])
    # The places of the fruits that are sent are those of these.
    revision = version.current_dictionary()
    assert revision is not None
    for locale in EATEN:
        send_shares(version, 3000, locale=locale, day=days_ago(1))
    for text, fruit in zip(hostile, ("apple", "banana", "cherry", "date"), strict=True):
        revision.entries.filter(element=text).update(element=fruit)
    aggregate(version)
    for text, fruit in zip(hostile, ("apple", "banana", "cherry", "date"), strict=True):
        revision.entries.filter(element=fruit).update(element=text, display=text)
    response = as_bob.get(PAGE + "?sort=first")
    page = response.content.decode()
    for text in ("<b>bold", '<a href="//example.org', "<script>alert"):
        assert text not in page
    figure = chart(response)
    assert figure["layout"]["yaxis"]["ticktext"][0] == "&lt;b&gt;bold&lt;/b&gt;"
    for trace in figure["data"]:
        for hover in trace["hovertext"]:
            assert re.sub(r"^<b>(.*?)</b><br>", r"\1", hover).replace("<br>", "").count("<") == 0
    rows = exported(as_bob, response, "csv")
    assert {row["element"] for row in rows} == {hostile[0], "'=1+1", *hostile[2:]}


@pytest.mark.usefixtures("both")
def test_who_looks_is_noted_once(as_bob: Client) -> None:
    page = as_bob.get(PAGE)
    assert Viewing.objects.get().what == "page"
    exported(as_bob, page, "csv")
    exported(as_bob, page, "json")
    as_bob.get("/api/v1/use-cases/fruits/comparison/")
    assert sorted(Viewing.objects.values_list("what", flat=True)) == ["api", "csv", "json", "page"]


def test_a_state_without_results_is_no_viewing(as_bob: Client) -> None:
    define()
    as_bob.get(PAGE)
    assert as_bob.get("/use-cases/fruits/comparison.csv").status_code == 404
    answer = as_bob.get("/api/v1/use-cases/fruits/comparison/")
    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:ldpsite:problem:no-data"
    assert not Viewing.objects.exists()


@pytest.mark.usefixtures("both")
def test_the_chart_has_at_most_so_many_rows_and_says_so(as_bob: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "The chart shows the first" not in words(as_bob.get(PAGE))
    monkeypatch.setattr(compare_chart, "MOST_ROWS", 2)
    cache.clear()
    response = as_bob.get(PAGE)
    assert len(table(response)) == 4
    assert len(chart(response)["layout"]["yaxis"]["ticktext"]) == 2
    assert "The chart shows the first 2 rows of the table." in words(response)


def test_small_shares_get_more_digits(both: Version, as_bob: Client) -> None:
    assert [digits_for(share) for share in (0.5, 0.01, 0.001, 0.00012, 1e-12)] == [2, 2, 2, 3, 5]
    assert digits_for() == 2
    assert at_most(0.00121, 2) == "at most 0.13\u00a0%"
    assert [points(value, 2) for value in (0.01234, -0.01234, 0.00001, -0.00001)] == ["+1.23", "−1.23", "0.00", "0.00"]

    def row(lower: float, upper: float) -> Row:
        return Row("x", "x", "", Share(), Share(), None, lower, upper, Verdict.MORE_IN_FIRST)

    assert difference(row(0.01239, 0.1), 2) == "at least +1.23"
    assert difference(row(-0.1, -0.01239), 2) == "at most −1.23"
    assert difference(row(-0.1, 0.1), 2) == ""


def test_rows_whose_interval_seems_to_say_something_else_say_so() -> None:
    def said(lower: float | None, upper: float | None, verdict: Verdict, difference: float | None = 0.001) -> str:
        return but(Row("x", "x", "", Share(), Share(), difference, lower, upper, verdict), 2)

    clear, unclear = Verdict.MORE_IN_FIRST, Verdict.NO_CLEAR_DIFFERENCE
    assert said(-0.001, 0.01, clear) == "although its interval includes zero"
    assert said(0.001, 0.01, clear) == ""
    assert said(-0.01, -0.001, Verdict.MORE_IN_SECOND) == ""
    assert said(-0.001, 0.01, unclear) == ""
    assert said(0.001, 0.01, unclear) == "although its interval does not include zero"
    # As it is written, and bounds no tighter than they are.
    assert said(0.00004, 0.01, clear) == "although its interval includes zero"
    assert said(0.00016, 0.01, unclear) == "although its interval does not include zero"
    assert said(0.00009, 0.01, clear, difference=None) == "although its interval includes zero"
    assert said(None, None, Verdict.NOT_COMPARABLE, difference=None) == ""


@pytest.mark.usefixtures("both")
def test_what_clear_means_stands_in_one_place_and_beside_the_rows_it_is_about(
    as_bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = words(as_bob.get(PAGE))
    assert page.count("false discovery rate") == 1
    assert "although its interval" not in page.partition("</form>")[2].partition("<table")[2]
    # Here verdicts and intervals agree; elsewhere they need not.
    monkeypatch.setattr(compare_numbers, "includes_zero", lambda row, _digits: row.display == "apple")
    assert (
        cells(as_bob.get(PAGE))["apple"][3]
        == "clearly more in English (United States) although its interval includes zero"
    )
    cache.clear()
    hovers = [text for trace in chart(as_bob.get(PAGE))["data"] for text in trace["hovertext"] if "apple" in text]
    assert hovers
    assert all(text.endswith("in English (United States), although its interval includes zero") for text in hovers)


def test_sides_are_called_by_what_they_differ_in_and_days_without_their_year_if_it_is_the_same() -> None:
    def names(*sides: tuple[str, str, str]) -> tuple[str, str]:
        first, second = (
            Side(locale, HistogramQuery.from_parameters({"from": begin, "to": end}), State.SHOWN)
            for locale, begin, end in sides
        )
        found = side_names(ComparisonView(UseCase(), None, ComparisonQuery(), State.SHOWN, (first, second)))
        return found.first, found.second

    new, old = ("en", "2026-03-02", "2026-03-08"), ("en", "2026-03-01", "2026-03-01")
    assert names(new, old) == ("Mar 2 – Mar 8", "Mar 1")
    assert names(new, ("fr", *new[1:])) == ("English", "French")
    assert names(new, ("fr", *old[1:])) == ("English, Mar 2 – Mar 8", "French, Mar 1")
    assert names(new, ("en", "2025-12-31", "2025-12-31")) == ("Mar 2, 2026 – Mar 8, 2026", "Dec 31, 2025")


def test_where_words_run_from_right_to_left_a_sign_stays_with_its_number() -> None:
    with override("ar"):
        assert re.fullmatch("\u2066\\+1.23\u2069", points(0.01234, 2))


def test_words_that_one_locale_does_not_report_are_said_not_to_be(as_bob: Client) -> None:
    version = define_words(alphabet={"en_US": "abeilost", "fr_FR": "abeilosté"})
    send_words(version, 600, words={"lol": 0.6, "able": 0.4}, day=days_ago(1))
    send_words(version, 600, locale="fr_FR", words={"lol": 0.4, "bébé": 0.6}, day=days_ago(1))
    aggregate(version)
    response = as_bob.get("/use-cases/words/compare/")
    found = cells(response)
    assert found["bébé"][0] == "not reported"
    assert found["bébé"][2:] == ["—", "cannot be compared"]
    assert "devices of this locale do not report words with such letters" in words(response)
    assert HistogramEntry.objects.filter(display="bébé").exists()
    # A window of words has no length to choose.
    assert as_bob.get("/use-cases/words/compare/?days=7").headers["Location"] == "/use-cases/words/compare/"
    assert UseCase.objects.count() == 1


def test_of_words_an_earlier_list_is_offered_where_there_is_one(as_bob: Client) -> None:
    version = define_words(alphabet="abeilost")
    send_words(version, 600, words={"lol": 0.6, "able": 0.4}, day=days_ago(2))
    aggregate(version)
    for locale in ("en_US", "fr_FR"):
        send_words(version, 600, locale=locale, words={"lol": 0.4, "able": 0.6}, day=days_ago(1))
    aggregate(version, days_ago(1), days_ago(1))
    offered = others(as_bob.get("/use-cases/words/compare/"))
    day = day_range(days_ago(1), days_ago(1))
    assert list(offered) == ["Swap A and B", f"English (United States): {day} and the days before"]
    assert cells(as_bob.get(f"/use-cases/words/compare/{offered.popitem()[1]}"))
