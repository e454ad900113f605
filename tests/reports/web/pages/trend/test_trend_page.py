"""The page of a trend: what is on it, how one chooses, and that nothing below a threshold is anywhere."""

import html
import re
from typing import Any

import plotly.graph_objects as go
import pytest
from django.test import Client

from reports.formatting import written_day
from reports.models import Histogram, UseCase, Version, Viewing
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.trends import publish_day
from tests.reports.web.pages.reading import chart, rows, text_of
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/trend/"


@pytest.fixture
@once
def published(version: Version) -> Version:
    """Three days of apples and cherries; on the newest there are no cherries above the threshold."""
    publish_day(version, 3, {"apple": 5000, "cherry": 300})
    publish_day(version, 2, {"apple": 4000, "cherry": 200})
    publish_day(version, 1, {"apple": 3000})
    return version


def chosen(response: Any) -> list[str]:
    there = response.content.decode().split('<ul class="chosen"')[1].split("</ul>")[0]
    return re.findall(r"<bdi[^>]*>([^<]*)</bdi>", there)


# --- What is on it ---


def test_a_line_for_each_day_and_its_numbers(published: Version, as_bob: Client) -> None:
    page = as_bob.get(f"{PAGE}?element=apple&element=cherry&from={days_ago(4)}")
    shown = rows(page, "days")
    assert [row[1:] for row in shown] == [
        ["too few reports yet, or none"],
        ["50.00 % 49.55 % – 50.45 %", "3.00 % 2.55 % – 3.45 %", "10,000", "0.50 %"],
        ["40.00 % 39.55 % – 40.45 %", "2.00 % 1.55 % – 2.45 %", "10,000", "0.50 %"],
        ["30.00 % 29.55 % – 30.45 %", shown[3][2], "10,000", "0.50 %"],
    ]
    assert re.fullmatch(r"below T, at most \d\.\d\d %", shown[3][2])


def test_the_chart_has_the_same_numbers(published: Version, as_bob: Client) -> None:
    traces = chart(as_bob.get(f"{PAGE}?element=apple&element=cherry&from={days_ago(4)}"))["data"]
    roles = [trace["meta"]["role"] for trace in traces]
    assert roles == ["band-1", "band-2", "series-1", "series-2", "series-2", "quiet"]
    assert traces[2]["y"] == [None, 50, 40, 30]
    assert traces[3]["y"] == [None, 3, 2, None]
    assert traces[3]["connectgaps"] is False
    # A band is a polygon: there and back.
    assert traces[1]["y"] == pytest.approx([3.45, 2.45, 1.55, 2.55, None], nan_ok=True)
    (bound,) = traces[4]["y"]
    assert 0.5 < bound < 1.5
    assert traces[4]["marker"]["symbol"] == "triangle-down-open"
    assert "below T, at most %{y:.2f}" in traces[4]["hovertemplate"]
    assert not go.Figure(chart(as_bob.get(PAGE))).layout.images, "Plotly knows all names and values of it"


def test_what_is_below_a_threshold_is_nowhere(version: Version, as_bob: Client) -> None:
    """Though the database knows it: from a histogram that is stale, and from a period of more days."""
    publish_day(version, 1, {"apple": 5000})
    publish_day(version, 2, {"fig": 8377.77})
    Histogram.objects.filter(last_day=days_ago(2)).update(last_day=days_ago(1), made_of="", first_day=days_ago(2))
    version.periods.filter(last_day=days_ago(2)).update(last_day=days_ago(1), first_day=days_ago(300))
    files = ("/use-cases/fruits/trend.csv", "/use-cases/fruits/trend.json", "/api/v1/use-cases/fruits/trend/")
    for address in (PAGE, *files):
        answer = as_bob.get(f"{address}?element=fig&from={days_ago(2)}")
        assert answer.status_code == 200
        text = answer.getvalue().decode()
        assert "below" in text
        assert not [number for number in ("8377", "8,378", "83.78", "7391", "7,391", "73.91") if number in text]


def test_days_that_are_in_no_period_are_gaps(version: Version, as_bob: Client) -> None:
    publish_day(version, 4, {"apple": 5000})
    send(version, 60, day=days_ago(2))
    aggregate(version)
    page = as_bob.get(f"{PAGE}?from={days_ago(4)}&to={days_ago(2)}")
    assert [row[1:] for row in rows(page, "days")][1:] == [["too few reports yet, or none"]] * 2
    assert chart(page)["layout"]["shapes"] == []
    assert "periods of whole days that have at least 100 together; windows without one are gaps" in text_of(page)


def test_a_picture_says_how_to_read_it_and_why_it_has_these_elements(version: Version, as_bob: Client) -> None:
    publish_day(version, 2, {"apple": 5000, "banana": 4000, "cherry": 3000, "date": 2000, "fig": 900})
    publish_day(version, 1, {"apple": 5000, "banana": 4000, "cherry": 3000, "date": 2000, "fig": 1800})
    page = as_bob.get(PAGE)
    (caption,) = [html.unescape(text) for text in re.findall(r'data-caption="([^"]*)"', page.content.decode())]
    assert "Shown by default: " in caption
    assert "fig was added because" in caption.replace("\u2068", "").replace("\u2069", "")
    explained = " ".join(html.unescape(page.content.decode().split('<p class="caption">')[1].split("</p>")[0]).split())
    assert explained.startswith("Estimated share of reports")
    assert "windows without one are gaps" in explained
    assert caption.endswith(explained)


def test_of_very_many_windows_only_those_without_neighbours_have_marks(version: Version, as_bob: Client) -> None:
    # A gap of one day beside what stands alone, and a line.
    for back, share in ((1, 4000), (2, 5000), (4, 6000)):
        publish_day(version, back, {"apple": share})
    short = chart(as_bob.get(f"{PAGE}?element=apple&from={days_ago(4)}"))["data"]
    assert [trace["mode"] for trace in short] == ["lines", "lines+markers", "lines"], "band, line, T"
    long = chart(as_bob.get(f"{PAGE}?element=apple&from={days_ago(200)}"))["data"]
    go.Figure(data=long)
    assert [trace["mode"] for trace in long] == ["lines", "lines", "markers", "lines"]
    _band, line, alone, _threshold = long
    assert line["y"][-4:] == [60, None, 50, 40]
    assert (alone["x"], alone["y"]) == ([days_ago(4).isoformat()], [60])
    assert alone["meta"] == line["meta"]


def test_an_element_that_came_later_is_not_counted_before(version: Version, as_bob: Client) -> None:
    before = version.current_dictionary()
    define(dictionary=["apple", "kiwi"])
    publish_day(version, 2, {"apple": 5000}, revision=before)
    publish_day(version, 1, {"apple": 5000, "kiwi": 500})
    page = as_bob.get(f"{PAGE}?element=apple&element=kiwi&days=2")
    assert [row[2].split()[0] for row in rows(page, "days")] == ["not", "5.00"]
    assert rows(page, "days")[0][2] == "not counted"
    said = f"kiwi: not counted before {written_day(days_ago(1))}."
    assert said in text_of(page)
    (picture,) = [html.unescape(text) for text in re.findall(r'data-caption="([^"]*)"', page.content.decode())]
    assert picture.endswith(said)
    line = next(trace for trace in chart(page)["data"] if trace["meta"]["role"] == "series-2")
    assert line["y"] == [None, 5]
    assert "not counted before" not in text_of(as_bob.get(f"{PAGE}?element=apple&days=2"))


def test_words_and_their_lists(db: None, as_bob: Client) -> None:
    search = define_search()
    find(search, ["yeet", "lol"], first=days_ago(8), last=days_ago(2))
    find(search, ["lol"])
    page = as_bob.get("/use-cases/slang/trend/?element=yeet")
    assert [row[1] for row in rows(page, "days")] == ["9.90 % 9.86 % – 9.94 %", "not in the list"]
    assert "below T, at most" not in text_of(page)


# --- Choosing ---


def test_one_view_has_one_address(published: Version, as_bob: Client) -> None:
    long = f"{PAGE}?locale=en_US&from=&to=&step=1&days=28&version=1&element=apple&element=apple&q="
    answer = as_bob.get(long)
    assert (answer.status_code, answer["Location"]) == (302, f"{PAGE}?element=apple")
    assert as_bob.get(f"{PAGE}?from=&to=")["Location"] == PAGE
    assert as_bob.get(f"{PAGE}?element=apple").status_code == 200


def test_elements_are_added_and_removed_by_links(published: Version, as_bob: Client) -> None:
    page = as_bob.get(f"{PAGE}?element=apple&element=cherry&from={days_ago(4)}")
    remove = re.findall(r'class="remove[^"]*"\s+href="([^"]*)"', page.content.decode())
    assert [html.unescape(address) for address in remove] == [
        f"?from={days_ago(4)}&element=cherry",
        f"?from={days_ago(4)}&element=apple",
    ]
    alone = as_bob.get(f"{PAGE}{html.unescape(remove[0])}")
    assert chosen(alone) == ["cherry"]
    assert 'class="remove' not in alone.content.decode()
    added = as_bob.get(f"{PAGE}?days=4&element=cherry&add=durian")
    assert "Nothing here is called “durian”" in text_of(added)
    assert chosen(added) == ["cherry"]
    added = as_bob.get(f"{PAGE}?days=4&element=cherry&add=fig")
    assert added["Location"] == f"{PAGE}?days=4&element=cherry&element=fig"


def test_who_types_a_part_of_a_name_chooses(published: Version, as_bob: Client) -> None:
    page = as_bob.get(f"{PAGE}?element=apple&add=rry")
    assert "Which one is “rry”?" in text_of(page)
    offered = re.search(r'<div class="offers".*?</div>', page.content.decode(), re.DOTALL)
    assert offered is not None
    links = re.findall(r'href="([^"]*)"', offered[0])
    assert {html.unescape(address) for address in links} == {
        "?element=apple&element=cherry", "?element=apple&element=elderberry",
    }  # fmt: skip


def test_a_seventh_element_is_refused_in_words(published: Version, as_bob: Client) -> None:
    six = "&".join(f"element={name}" for name in ("apple", "banana", "cherry", "date", "elderberry", "fig"))
    define(dictionary=["apple", "banana", "cherry", "date", "elderberry", "fig", "grape"])
    assert "six elements at most" in text_of(as_bob.get(f"{PAGE}?{six}"))
    assert "at most 6 elements; remove one" in text_of(as_bob.get(f"{PAGE}?{six}&add=grape"))
    answer = as_bob.get(f"{PAGE}?{six}&element=grape")
    assert answer.status_code == 400
    assert "remove one" in text_of(answer)


def test_suggestions_are_what_stands_out(published: Version, as_bob: Client) -> None:
    page = as_bob.get(PAGE).content.decode()
    assert re.findall(r'<option value="(\w+)"></option>', page) == ["apple", "cherry"]


def test_another_locale_keeps_the_elements_and_another_version_only_those_it_has(
    published: Version, as_bob: Client
) -> None:
    publish_day(published, 1, {"apple": 100}, locale="fr_FR")
    page = as_bob.get(f"{PAGE}?locale=fr_FR&element=cherry")
    assert chosen(page) == ["cherry"]
    assert "French (France)" in text_of(page)
    newer = define(parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": "0e" * 16}, dictionary=["apple"])
    publish_day(newer, 1, {"apple": 100})
    answer = as_bob.get(f"{PAGE}?version=2&element=cherry")
    assert answer["Location"] == PAGE


def test_what_cannot_be_asked_is_said(published: Version, as_bob: Client) -> None:
    for query, said in (
        ("element=durian", "Nothing here is called “durian”"),
        ("step=3", "A step is one day or seven"),
        ("days=9999", "Choose fewer days"),
        ("from=2026-02-02&to=2026-02-01", "ends before it begins"),
        ("version=9", "does not have this version"),
        ("locale=xx", "does not have this locale"),
    ):
        for address in (PAGE, "/use-cases/fruits/trend.csv", "/use-cases/fruits/trend.json"):
            answer = as_bob.get(f"{address}?{query}")
            assert answer.status_code == 400
            assert said in text_of(answer)


# --- When there is nothing ---


def test_without_an_active_version_it_is_said(version: Version, as_bob: Client) -> None:
    Version.objects.update(state=Version.State.DRAFT)
    assert "no active version" in text_of(as_bob.get(PAGE))


def test_other_days_may_have_something(published: Version, as_bob: Client) -> None:
    page = as_bob.get(f"{PAGE}?to={days_ago(50)}")
    assert "Too few reports yet, or none" in text_of(page)
    assert 'href="?">Show the newest days' in page.content.decode()


def test_nothing_above_the_threshold_can_be_looked_for(version: Version, as_bob: Client) -> None:
    publish_day(version, 1, {})
    page = as_bob.get(f"{PAGE}?days=2")
    assert "Nothing is above the threshold in the newest window" in text_of(page)
    assert as_bob.get(f"{PAGE}?days=2&add=fig")["Location"] == f"{PAGE}?days=2&element=fig"


# --- Who may see it ---


def test_programs_read_it(published: Version, as_bob: Client) -> None:
    answer = as_bob.get("/api/v1/use-cases/fruits/trend/?element=cherry&days=1")
    (point,) = answer.json()["points"]
    assert (point["state"], point["estimate"]) == ("below-threshold", None)
    assert Viewing.objects.get().what == "api"
    problem = as_bob.get("/api/v1/use-cases/fruits/trend/?days=x")
    assert (problem.status_code, problem.json()["type"]) == (400, "urn:ldpsite:problem:bad-parameter")
    problem = as_bob.get(f"/api/v1/use-cases/fruits/trend/?to={days_ago(50)}")
    assert (problem.status_code, problem.json()["state"]) == (404, "not-yet")
    UseCase.objects.update(slug="other")
    assert as_bob.get("/api/v1/use-cases/fruits/trend/").status_code == 404
