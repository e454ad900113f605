"""The page of an element: all locales, all days, and what is known of it."""

import csv
import io
import json
import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from reports.formatting import day_range, written_day
from reports.models import UseCase, Version
from reports.results.element import element_view
from reports.results.trend import TrendQuery
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.trends import publish_day
from tests.reports.web.pages.controls import sent_by
from tests.reports.web.pages.reading import rows, text_of

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/elements/"


def test_its_locales_by_all_their_periods_the_largest_first(as_bob: Client) -> None:
    version = define(locales=["en_US", "de_DE", "es_ES", "fr_FR"])
    publish_day(version, 1, {"apple": 1000}, locale="en_US", first=days_ago(2))
    publish_day(version, 3, {"apple": 2000}, locale="fr_FR")
    publish_day(version, 1, {}, locale="de_DE")
    page = as_bob.get(f"{PAGE}?element=apple")
    shown = rows(page, "places")
    assert [row[:2] for row in shown[:2]] == [
        [f"French (France) {written_day(days_ago(3))}", "20.00 %"],
        [f"English (United States) {day_range(days_ago(2), days_ago(1))}", "10.00 %"],
    ]
    assert shown[0][2:5] == ["19.55 % – 20.45 %", "10,000", "0.50 %"]
    assert shown[2][0].startswith("German (Germany)")
    assert re.fullmatch(r"below T, at most [\d.]+ %", shown[2][1])
    assert shown[3] == ["Spanish (Spain)", "nothing published", "", "", ""]
    figure = json.loads(re.findall(r'<script id="chart-figure"[^>]*>(.*?)</script>', page.content.decode())[0])
    assert figure["data"][0]["x"] == [20, 10]
    assert figure["layout"]["meta"]["named"] == ["French (France)", "English (United States)"]


def test_its_days_in_all_locales(version: Version, as_bob: Client) -> None:
    publish_day(version, 2, {"apple": 1000}, locale="en_US")
    publish_day(version, 2, {"apple": 2000}, locale="fr_FR")
    publish_day(version, 1, {}, locale="en_US")
    publish_day(version, 1, {"apple": 3000}, locale="fr_FR")
    page = as_bob.get(f"{PAGE}?element=apple&from={days_ago(7)}")
    days = rows(page, "days")
    assert [[cell.split()[0] for cell in row[1:]] for row in days[-2:]] == [["20.00", "10.00"], ["30.00", "below"]]
    assert [row[1:] for row in days[:5]] == [["too few reports yet, or none"] * 2] * 5
    figure = json.loads(re.findall(r'<script id="days-figure"[^>]*>(.*?)</script>', page.content.decode())[0])
    lines = {trace["name"]: trace["y"][-2:] for trace in figure["data"] if "lines+markers" in trace.get("mode", "")}
    assert lines == {"French (France)": [20, 30], "English (United States)": [10, None]}


def test_addresses_of_any_days_and_step_lead_to_what_they_ask_for(version: Version, as_bob: Client) -> None:
    """A year of days is all that is shown of days, and weeks may be more."""
    publish_day(version, 1, {"apple": 1000})
    publish_day(version, 500, {"apple": 1000})
    for window, opened in (
        ("days=84", "1"),
        ("days=84&step=7", "7"),
        ("days=364&step=1", "1"),
        *(
            (f"{days}{step}", "7")
            for days in ("days=364", "days=2000", f"from={days_ago(400)}")
            for step in ("", "&step=7")
        ),
    ):
        page = as_bob.get(f"{PAGE}?element=apple&{window}", follow=True)
        assert (page.status_code, sent_by(page)["step"]) == (200, opened), window


def test_of_many_days_the_page_has_the_largest_locales_and_the_files_all(
    as_bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    locales = ["en_US", "de_DE", "es_ES", "fr_FR", "it_IT", "pt_PT"]
    version = define(locales=locales)
    for number, locale in enumerate(locales):
        publish_day(version, 1, {"apple": 1000 * (number + 1)}, locale=locale)
    monkeypatch.setattr("reports.web.pages.element.element_page.MOST_POINTS", 5 * 7)
    week = f"{PAGE}?element=apple&days=7"
    assert "the table has only the 5 locales with the largest shares, of 6; the files have all." in text_of(
        as_bob.get(week)
    )
    page = as_bob.get(f"{PAGE}?element=apple&days=90")
    newest = [cell.split("%")[0].strip() for cell in rows(page, "days")[-1][1:]]
    assert newest == ["60.00", "50.00", "40.00", "30.00"], "never fewer than four"
    assert len(rows(page, "places")) == 6
    assert "Download, all locales" in text_of(page)
    assert sent_by(page)["step"] == "1", "days that are not there take no room"
    publish_day(version, 90, {"apple": 1000}, locale="fr_FR")
    assert sent_by(as_bob.get(f"{PAGE}?element=apple&days=90"))["step"] == "7", "days are too many for four"
    file = as_bob.get("/use-cases/fruits/elements.csv?element=apple&days=90").getvalue().decode()
    assert {line["locale"] for line in csv.DictReader(io.StringIO(file))} == set(locales)
    monkeypatch.undo()
    assert "Download, all locales" not in text_of(as_bob.get(week))


def test_below_the_threshold_everywhere_is_said_and_is_no_secret(version: Version, as_bob: Client) -> None:
    publish_day(version, 1, {"apple": 1000})
    page = as_bob.get(f"{PAGE}?element=fig")
    assert "fig is too rare to be told from noise: " in text_of(page)
    assert 'id="chart"' not in page.content.decode()
    define(dictionary=["apple"])
    assert as_bob.get(f"{PAGE}?element=fig").status_code == 200, "an older dictionary had it"


def test_what_nothing_is_called_is_not_found_in_words(version: Version, as_bob: Client) -> None:
    for query in ("?element=durian", "?element=a%00", "?element=apple&element=fig"):
        answer = as_bob.get(f"{PAGE}{query}")
        assert answer.status_code in (400, 404), query
        assert "<h1>" in answer.content.decode()
    assert as_bob.get(PAGE)["Location"] == "/use-cases/fruits/"
    answer = as_bob.get(f"{PAGE}?element=<b>")
    assert "has “<b>”" in text_of(answer) or "&lt;b&gt;" in answer.content.decode()
    assert "<b>" not in answer.content.decode().split("<main")[1]
    for form in ("csv", "json"):
        assert as_bob.get(f"/use-cases/fruits/elements.{form}?element=durian").status_code == 404


def test_the_version_that_has_it_is_shown(version: Version, as_bob: Client) -> None:
    publish_day(version, 1, {"apple": 1000, "fig": 100})
    newer = define(parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": "0e" * 16}, dictionary=["apple"])
    publish_day(newer, 1, {"apple": 1000})
    answer = as_bob.get(f"{PAGE}?element=fig")
    assert answer["Location"] == f"{PAGE}?element=fig&version=1"
    assert as_bob.get(answer["Location"]).status_code == 200
    assert as_bob.get(f"{PAGE}?element=apple&version=2")["Location"] == f"{PAGE}?element=apple"


def test_category_and_variants_of_an_emoji(as_bob: Client) -> None:
    names = ["👍", "👍🏽", "👍🏿", "👏", "👏🏽", "❤️"]
    version = define(normalization="emoji", dictionary=[{"element": name, "category": "hands"} for name in names])
    publish_day(version, 1, {"👍🏽": 1000})
    page = as_bob.get(f"{PAGE}?element=👍🏽")
    text = page.content.decode()
    assert "thumbs up medium skin tone" in text
    variants = text.split('class="variants"')[1].split("</dd>")[0]
    assert re.findall(r">([^<\s]+)</a>", variants) == ["👍\ufe0f", "👍🏿"]
    assert 'href="/use-cases/fruits/?category=hands"' in text
    assert "As it is counted" not in text
    assert 'class="variants"' not in as_bob.get(f"{PAGE}?element=❤").content.decode()


def test_weeks_where_days_are_too_few(version: Version, as_bob: Client) -> None:
    sunday = next(back for back in range(14, 21) if days_ago(back).isoweekday() == 7)
    publish_day(version, sunday, {"apple": 1000}, first=days_ago(sunday + 6))
    publish_day(version, sunday + 7, {"apple": 2000}, first=days_ago(sunday + 13))
    days = as_bob.get(f"{PAGE}?element=apple")
    weeks = as_bob.get(PAGE, sent_by(days, step="7"), follow=True)
    assert weeks.request["QUERY_STRING"] == "element=apple&step=7"
    shown = [row[1].split()[0] for row in rows(weeks, "days")]
    assert [share for share in shown if share != "too"] == ["20.00", "10.00"]
    assert "step=7" in re.findall(r'href="([^"]*elements\.csv\?[^"]*)"', weeks.content.decode())[0]
    assert as_bob.get(f"{PAGE}?element=apple&step=1")["Location"] == f"{PAGE}?element=apple"


def test_days_that_are_released_together_are_in_no_day_but_in_all_of_them(as_bob: Client) -> None:
    version = define()
    for back, reports in ((6, 400), (5, 60), (4, 60), (3, 400)):
        send(version, reports, day=days_ago(back), seed=back)
    aggregate(version)
    page = as_bob.get(f"{PAGE}?element=apple")
    nothing = "too few reports yet, or none"
    assert [row[1] == nothing for row in rows(page, "days")] == [False, True, True, False]
    assert rows(page, "places")[0][3] == "920"


def test_a_locale_says_from_which_day_on_it_counts_the_element(as_bob: Client) -> None:
    before = define(locales=["en_US", "fr_FR"]).current_dictionary()
    version = define(locales=["en_US", "fr_FR"], dictionary=["apple", "kiwi"])
    for locale in version.locales:
        publish_day(version, 2, {"apple": 5000}, locale=locale, revision=before if locale == "en_US" else None)
        publish_day(version, 1, {"apple": 5000, "kiwi": 500}, locale=locale)
    page = as_bob.get(f"{PAGE}?element=kiwi")
    # In all periods together it is counted in one locale only.
    assert [row[1] for row in rows(page, "places")] == [rows(page, "places")[0][1], "not counted"]
    assert rows(page, "places")[0][0].startswith("French")
    assert f"English (United States): not counted before {written_day(days_ago(1))}." in text_of(page)
    assert "French (France): not counted" not in text_of(page)
    document = as_bob.get("/use-cases/fruits/elements.json?element=kiwi").json()
    assert [(each["locale"], each["since"]) for each in document["not_counted"]] == [("en_US", str(days_ago(1)))]


def test_the_number_of_queries_does_not_depend_on_locales_and_days(
    db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    few, many = define(slug="few"), define(slug="many", locales=["en_US", "fr_FR", "de_DE", "es_ES"])
    publish_day(few, 1, {"apple": 1000})
    for locale in many.locales:
        for back in range(1, 9):
            publish_day(many, back, {"apple": 1000}, locale=locale)
    # Where there is no window before, one is looked for.
    for slug, days, queries in (("few", 7, 16), ("many", 90, 15)):
        query = TrendQuery(elements=("apple",), days=days)
        assert element_view(UseCase.objects.get(slug=slug), query) is not None, "makes the histograms of all periods"
        with django_assert_num_queries(queries):
            assert element_view(UseCase.objects.get(slug=slug), query) is not None
