"""Pages of a use case that moved to another mechanism: which version counted what, and no number of both together."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.formatting import day_range
from reports.models import Period, UseCase, Version
from tests.reports.changed_version import LOCAL_HASHING, changed
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day
from tests.reports.web.pages.embed.links import opened, token_of
from tests.reports.web.pages.reading import chart, rows, text_of
from tests.reports.web.pages.tables import differences_of
from tests.reports.web.pages.tables_in_html import tables_in

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/"
OLDER, NEWER = "Count Mean Sketch, ε = 8", "local hashing, ε = 4"


@pytest.fixture
def version() -> Version:
    return changed()


def days(first: int, last: int) -> str:
    return day_range(days_ago(first), days_ago(last))


def between(first: int, last: int, prefix: str = "") -> str:
    return f"{prefix}from={days_ago(first)}&{prefix}to={days_ago(last)}"


def link_called(answer: Any, label: str) -> str:
    found = re.search(rf'href="([^"]*)">{label}</a>', answer.content.decode())
    assert found is not None
    return found[1].replace("&amp;", "&")


# --- The trend ---


def test_a_trend_says_which_version_counted_which_days(version: Version, as_bob: Client) -> None:
    page = as_bob.get(f"{PAGE}trend/")
    read = text_of(page)
    assert "Several versions counted these days." in read
    assert f"Version 1 ({OLDER}): {days(6, 3)}. Show version 1" in read
    assert f"Version 2 ({NEWER}): {days(3, 1)}. Show version 2" in read
    assert "too few reports" not in read
    there = as_bob.get(link_called(page, "Show version 1"), follow=True)
    assert "40,000" in text_of(there)
    cells = rows(page, "days")
    assert [row[1] for row in cells] == ["1"] * 4 + ["2"] * 3
    assert [row[0] for row in cells] == [days(back, back) for back in (6, 5, 4, 3, 3, 2, 1)]
    assert [row[-2] for row in cells] == ["10,000"] * 4 + ["20,000"] * 3


def test_a_trend_leads_to_the_comparison_of_the_days_before_and_after(version: Version, as_bob: Client) -> None:
    page = as_bob.get(f"{PAGE}trend/")
    there = as_bob.get(link_called(page, "Compare the days before and after"), follow=True)
    read = text_of(there)
    assert f"Window {days(3, 1)} Reports (n) 60,000 Version 2 {NEWER}" in read
    assert f"Window {days(6, 4)} Reports (n) 30,000 Version 1 {OLDER}" in read
    assert f"was counted by version 2 ({NEWER})," in read
    assert "the error of a difference is that of both together" in read


def test_a_trend_says_whether_shares_changed_by_more_than_both_errors_explain(version: Version, as_bob: Client) -> None:
    read = text_of(as_bob.get(f"{PAGE}trend/?element=apple&element=date"))
    assert "Clearly less than in as many days before the newer version: apple." in read
    assert "Clearly more" not in read
    assert "No other element shown differs clearly: other steps at the line may be chance." in read
    read = text_of(as_bob.get(f"{PAGE}trend/?element=date"))
    assert "None of the elements shown differs clearly from as many days before the newer version" in read
    # Older days alone have nothing to be said.
    assert "differs clearly" not in text_of(as_bob.get(f"{PAGE}trend/?element=date&{between(6, 4)}"))


def test_a_trend_of_words_leads_to_the_last_list_before_and_the_first_after(as_bob: Client) -> None:
    before = define_search()
    for last in (22, 15, 8):
        find(before, ["yeet"], first=days_ago(last + 6), last=days_ago(last))
    after = define_search(parameters={**before.parameters, "epsilon": 5, "seed": "1a" * 16})
    find(after, ["yeet"], last=days_ago(2), first=days_ago(7))
    find(after, ["yeet"], last=days_ago(1), first=days_ago(6))
    page = as_bob.get("/use-cases/slang/trend/")
    there = text_of(as_bob.get(link_called(page, "Compare the days before and after"), follow=True))
    assert f"A: English (United States), {days(7, 2)} Published" in there
    assert f"B: English (United States), {days(14, 8)} Published" in there


def test_a_chart_has_a_line_where_the_newer_version_begins_and_joins_nothing_over_it(
    version: Version, as_bob: Client
) -> None:
    figure = chart(as_bob.get(f"{PAGE}trend/?element=apple"))
    (line,) = [shape for shape in figure["layout"]["shapes"] if shape["name"] == "version"]
    assert line["x0"] == line["x1"] == f"{days_ago(4)}T12:00:00"
    (name,) = [note for note in figure["layout"]["annotations"] if note["name"] == "version"]
    assert (name["x"], name["text"].removesuffix(" →")) == (line["x0"], "version 2")
    older, newer = [trace for trace in figure["data"] if trace["mode"] == "lines+markers"]
    assert older["y"] == [50.06, 50.05, 50.04, 50.03, None, None]
    assert newer["y"] == [None, None, None, 45.015, 45.01, 45.005]
    assert (older["marker"]["symbol"], newer["marker"]["symbol"]) == ("circle-open", "circle")
    assert (older["showlegend"], newer["showlegend"]) == (False, True)
    assert older["text"][0].endswith(", version 1")


def test_the_files_of_a_trend_say_the_same(version: Version, as_bob: Client) -> None:
    page = as_bob.get(f"{PAGE}trend/?element=apple&element=cherry")
    file = as_bob.get(f"{PAGE}trend.csv?element=apple&element=cherry")
    (shown,) = tables_in(page.content.decode())
    assert not [*differences_of("trend.csv", [shown], file.getvalue().decode())]


def test_where_another_version_counted_other_elements_the_trend_names_it(as_bob: Client) -> None:
    before = define_search(slug="fruits", title="Fruits")
    find(before, ["yeet"], first=days_ago(4), last=days_ago(4))
    publish_day(define(**LOCAL_HASHING), 1, {"apple": 5000})
    read = text_of(as_bob.get(f"{PAGE}trend/?{between(4, 1)}"))
    assert f"{days(4, 4)} counted by version 1 (Sequence Fragment Puzzle, ε = 10)" in read
    read = text_of(as_bob.get(f"{PAGE}trend/?{between(4, 4)}"))
    assert "Counted by another version" in read
    assert "too few reports" not in read.lower()


def test_pictures_and_embedded_pages_say_it_too(version: Version, alice: User) -> None:
    answer = opened(token_of(alice, page="trend"))
    read = text_of(answer)
    assert f"Version 1 ({OLDER}): {days(6, 3)}." in read
    assert "Clearly less than in as many days before the newer version: apple" in read
    assert "Show version" not in read
    assert "Compare the days" not in read


# --- The element, the histogram and the comparison ---


def test_a_page_of_an_element_has_a_row_for_each_version(version: Version, as_bob: Client) -> None:
    page = as_bob.get(f"{PAGE}elements/?element=apple")
    cells = rows(page, "days")
    assert [row[0] for row in cells][3:5] == [f"{days(3, 3)} version 1", f"{days(3, 3)} version 2"]
    assert len(cells) == 7
    assert f"Version 1 ({OLDER}): {days(6, 3)}." in text_of(page)


def test_a_histogram_says_whose_reports_it_has_and_which_it_has_not(version: Version, as_bob: Client) -> None:
    read = text_of(as_bob.get(PAGE))
    assert f"Reports (n) 60,000 version 2 ({NEWER})" in read
    assert f"{days(6, 3)}: counted by version 1 ({OLDER}), and so in no number here. Show version 1" in read
    wider = text_of(as_bob.get(f"{PAGE}?{between(8, 1)}"))
    assert f"Left out: {days(8, 7)}." in wider
    assert f"{days(6, 3)}: counted by version 1" in wider
    alone = text_of(as_bob.get(f"{PAGE}?{between(2, 1)}"))
    assert "version 1" not in alone


def test_days_of_another_version_are_never_too_few_reports(version: Version, as_bob: Client, as_alice: Client) -> None:
    for client in (as_bob, as_alice):
        page = client.get(f"{PAGE}?{between(6, 5)}")
        read = text_of(page)
        assert "Counted by another version" in read
        assert f"{days(6, 5)}: counted by version 1 ({OLDER})" in read
        assert "Too few reports" not in read
        assert "20,000" in text_of(client.get(link_called(page, "Show version 1"), follow=True))
    answer = as_bob.get(f"/api/v1{PAGE}histogram/?{between(6, 5)}")
    assert (answer.status_code, answer.json()["state"]) == (404, "other-version")
    answer = as_bob.get(f"/api/v1{PAGE}histogram/?{between(9, 8)}")
    assert answer.json()["state"] == "not-yet"


def test_sides_that_nothing_can_be_compared_by_say_why(as_bob: Client) -> None:
    before = define(dictionary=["apple"], normalization="word", alphabet="abcdefghijklmnopqrstuvwxyz")
    publish_day(before, 4, {"apple_____": 5000})
    publish_day(define(**LOCAL_HASHING), 1, {"apple": 5000})
    sides = f"locale=en_US&other-locale=en_US&{between(1, 1)}&{between(4, 4, 'other-')}"
    page = as_bob.get(f"{PAGE}compare/?{sides}", follow=True)
    read = text_of(page)
    assert "Another version counted these days, but other elements" in read
    assert f"{days(4, 4)}: counted by version 1 ({OLDER})" in read
    assert link_called(page, "Compare days of version 1") == "?version=1"


def test_programs_are_told_the_version_of_each_side(version: Version, as_bob: Client) -> None:
    query = f"locale=en_US&other-locale=en_US&{between(2, 1)}&{between(6, 5, 'other-')}"
    found = as_bob.get(f"/api/v1{PAGE}comparison/?{query}").json()
    assert [found[side]["version"] for side in ("first", "second")] == [2, 1]
    assert found["address"].endswith("&version=2")


# --- The card ---


def test_a_card_says_of_which_version_its_reports_are(version: Version, as_bob: Client) -> None:
    read = text_of(as_bob.get("/"))
    assert "n = 60,000 reports of version 2" in read
    assert "version 1, until " in read
    assert "not in n" in read
    page = as_bob.get("/").content.decode()
    assert len(re.findall(r'<path class="others" d="([^"]*)"', page)) == 1
    Period.objects.filter(version__number=1).update(n=99)  # below the minimum
    UseCase.renew_generation(version.use_case_id)
    assert "n = 60,000 reports" in text_of(as_bob.get("/"))
    assert "of version" not in text_of(as_bob.get("/"))
