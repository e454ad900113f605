"""The page of a use case: one query for page and exports, one address for each view, and a page for each state."""

import html
import json
import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from reports.models import BudgetGroup, Run, UseCase, Version, Viewing
from reports.runs import start_run
from tests.reports.entries import change_entries
from tests.reports.retention.helpers import wait_from_device
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.web.pages.reading import PAGE, chart, exported, make_histogram, table, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.mark.usefixtures("published")
def test_one_view_has_one_address(as_bob: Client) -> None:
    sent = {"locale": "en_US", "from": "", "to": "", "top": "20", "q": " apple ", "version": "1", "utm": "x"}
    response = as_bob.get(PAGE, sent)
    assert response.headers["Location"] == PAGE + "?q=apple"
    assert table(as_bob.get(PAGE + "?q=apple")) == ["apple"]
    assert as_bob.get(PAGE, {"top": "20"}).headers["Location"] == PAGE


@pytest.mark.usefixtures("published")
def test_what_cannot_be_understood_is_said(as_bob: Client) -> None:
    for query, label in (
        ("top=0", "Show the top"),
        ("top=201", "Show the top"),
        ("from=yesterday&top=0", "From"),
        ("to=1&top=0", "To"),
        ("locale=xx", "Locale"),
        ("version=9", "Version"),
        ("sort=size", "sort"),
    ):
        response = as_bob.get(f"{PAGE}?{query}")
        assert response.status_code == 400
        assert f"<strong>{label}</strong>" in words(response)
        if query != "top=201":  # only a page has so many at most
            assert as_bob.get(f"{PAGE}histogram.csv?{query}").status_code == 400


# With places for today and the days before.
COMPARED = "compare/?locale=en_US&from={1}&to={1}&other-locale=en_US&other-from={2}&other-to={2}"


@pytest.mark.usefixtures("published")
def test_rows_of_a_chart_lead_to_where_those_of_the_table_lead(as_bob: Client) -> None:
    for address in ("?sort=name", COMPARED, "elements/?element=apple"):
        page = as_bob.get(PAGE + address.format(*map(days_ago, range(3))), follow=True).content.decode()
        (found,) = re.findall(r'<script id="chart-links" type="application/json">(.*?)</script>', page)
        head = r'<th (?:role="rowheader" )?scope="row">\s*(?:<span[^>]*>\s*)?<a (?:class="to-element" )?href="([^"]*)"'
        assert set() < set(json.loads(found)) <= {html.unescape(link) for link in re.findall(head, page)}
        assert 'data-links="chart-links"' in page


@pytest.mark.usefixtures("published")
def test_the_caption_says_how_to_read_it(as_bob: Client) -> None:
    page = words(as_bob.get(PAGE))
    assert "Estimated share of reports, not of people; 95 % intervals, adjusted for showing only the largest." in page
    assert re.search(r"Elements below the threshold T = \d+ reports cannot be told from noise", page)
    assert "elements are below it" in page
    assert "<dd>800</dd>" in page


def test_a_window_without_a_period_is_the_same_however_many_reports_wait(
    version: Version, as_alice: Client, as_bob: Client
) -> None:
    """Viewers alone; owners see what arrives, and what runs do with it."""
    home = reverse("home")
    addresses = [PAGE, f"{PAGE}?from={days_ago(2)}&to={days_ago(2)}", home, "/api/v1/use-cases/fruits/histogram/"]
    addresses += [f"{PAGE}histogram.csv", f"{PAGE}trend/", f"{PAGE}trend/?to={days_ago(1)}", f"{PAGE}trend.json"]
    addresses += [f"{PAGE}compare/", "/api/v1/use-cases/fruits/trend/"]

    def seen() -> list[tuple[int, str]]:
        answers = [as_bob.get(address) for address in addresses]
        return [(answer.status_code, re.sub(r'value="[^"]{64}"', "", words(answer))) for answer in answers]

    nothing = seen()
    assert "Too few reports yet, or none" in nothing[0][1]
    wait_from_device(version, 1, days_ago(1))
    send(version, 1, day=days_ago(2))
    assert seen() == nothing
    assert "have arrived that no run has counted" in words(as_alice.get(PAGE))
    assert "Aggregate now" in words(as_alice.get(PAGE))
    send(version, 98, day=days_ago(2), seed=1)
    run = start_run(version, ring=False)
    assert seen() == nothing
    assert "A run is under way" in words(as_alice.get(PAGE))
    Run.objects.update(state=Run.State.FAILED, failure="The disk is full.")
    assert seen() == nothing
    assert "The disk is full." in words(as_alice.get(PAGE))
    assert "Retry" in words(as_alice.get(PAGE))
    Run.objects.filter(pk=run.pk).update(state=Run.State.WAITING)
    aggregate(version)
    assert seen() == nothing
    assert not Viewing.objects.exists(), "nothing was shown"


def test_all_below_the_threshold_is_said(as_bob: Client) -> None:
    version = define(dictionary=["quince"])
    send(version, 1000)
    aggregate(version)
    page = words(as_bob.get(PAGE))
    assert "No element stands out from the noise" in page
    assert "1,000 reports were counted" in page


@pytest.mark.usefixtures("published")
def test_a_run_is_announced_to_owners_above_the_histogram(version: Version, as_alice: Client, as_bob: Client) -> None:
    before = words(as_bob.get(PAGE))
    send(version, 200)
    start_run(version, ring=False)
    assert "A run is under way" in words(as_alice.get(PAGE))
    assert "run" not in set(words(as_bob.get(PAGE)).split()) - set(before.split())
    Run.objects.filter(state=Run.State.WAITING).update(state=Run.State.FAILED, failure="The disk is full.")
    page = words(as_alice.get(PAGE))
    assert "The latest run failed" in page
    assert "The disk is full." in page
    assert table(as_alice.get(PAGE))
    assert "The disk is full." not in words(as_bob.get(PAGE))


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}compare/"])
def test_a_use_case_without_versions_says_so_and_leads_owners_to_them(
    as_alice: Client, as_bob: Client, alice: User, path: str
) -> None:
    version = define()
    Version.objects.filter(pk=version.pk).update(state=Version.State.DRAFT)
    link = f'href="/admin/reports/usecase/{version.use_case_id}/change/#versions"'
    for client in (as_alice, as_bob):
        assert "has no active version" in words(client.get(path))
        assert link not in client.get(path).content.decode()  # the admin is for staff
    alice.is_staff = True
    alice.save()
    assert link in as_alice.get(path).content.decode()


SECOND = {"epsilon": 4, "k": 1024, "m": 64, "seed": "1f" * 16}


@pytest.mark.usefixtures("published")
def test_a_new_version_is_reached_before_it_is_counted(as_alice: Client, as_bob: Client) -> None:
    assert "is active" not in words(as_bob.get(PAGE))
    assert "ε = 8 per report, at most 8 per person and day." in words(as_bob.get(PAGE))
    version = define(parameters=SECOND)
    assert "Version 2 is active, but has nothing to show yet. You see version 1." in words(as_bob.get(PAGE))
    assert "All reports that can be counted now are counted." in words(as_alice.get(PAGE))
    send(version, 500)
    page = words(as_alice.get(PAGE))
    assert "Version 2 is active, but has nothing to show yet. You see version 1." in page
    assert '<a href="?version=2">Show version 2</a>' in page
    assert "ε = 8 per report" in page
    assert "Reports have arrived that no run has counted yet." in page
    second = as_alice.get(PAGE + "?version=2")
    assert second.status_code == 200
    assert "Reports have arrived that no run has counted yet." in words(second)
    assert second.status_code == 200
    assert as_alice.get(PAGE + "?version=1").headers["Location"] == PAGE
    aggregate(version)
    assert "You see" not in words(as_alice.get(PAGE))
    assert as_alice.get(PAGE + "?version=2").headers["Location"] == PAGE
    assert "Version 2 is active. You see version 1." in words(as_alice.get(PAGE + "?version=1"))


def test_a_use_case_that_is_not_divided_by_locale_does_not_speak_of_any(as_bob: Client) -> None:
    version = define(locales=["und"])
    send(version, 300, locale="und")
    aggregate(version)
    page = words(as_bob.get(PAGE))
    assert "All locales, " in re.findall("<title>(.*?)</title>", page)[0]
    assert 'name="locale"' not in page
    assert "All locales · " in words(as_bob.get("/"))
    window = f"from={days_ago(1)}&to={days_ago(1)}"
    compared = f"compare/?{window}&other-{window.replace('&', '&other-')}"
    for address in ("", compared, "trend/", "elements/?element=apple"):
        page = words(as_bob.get(f"{PAGE}{address}", follow=True))
        assert re.search(r"\bund\b", re.sub(r"<script.*?</script>|<[^>]*>", "", page)) is None
        # Pictures say it in attributes.
        told = re.findall(r'data-(?:address|origin)="([^"]*)"', page)
        assert [each for each in told if re.search(r"\bund\b", each)] == []
    document = json.loads(as_bob.get(f"{PAGE}histogram.json").getvalue())
    assert document["locale"] == "und"
    assert "und" not in document["address"]
    again = as_bob.get(document["address"].removeprefix("http://testserver"), follow=True)
    assert "All locales, " in re.findall("<title>(.*?)</title>", words(again))[0]


def test_domains_are_of_no_language_and_hover_with_what_is_counted(as_bob: Client) -> None:
    version = define(normalization="domain", dictionary=["bücher.example", "apple.example"])
    make_histogram(version, ["xn--bcher-kva.example", "apple.example"])
    change_entries(lambda entry: entry.rank == 1, display="bücher.example")
    response = as_bob.get(f"{PAGE}?from={days_ago(1)}&to={days_ago(1)}")
    assert table(response) == ["bücher.example", "apple.example"]
    assert '<bdi class="element" lang="und" dir="auto">bücher.example</bdi>' in words(response)
    first, second = chart(response)["data"][0]["hovertext"]
    assert "<br>xn--bcher-kva.example<br>" in first
    assert second.count("apple.example") == 1
    assert exported(as_bob, response, "csv")[0]["element"] == "xn--bcher-kva.example"


def test_line_about_privacy_is_of_all_that_share_a_limit_and_names_none(as_bob: Client) -> None:
    version = define()
    group = BudgetGroup.objects.create(name="fruit and veg", daily_limit=2)
    for slug, viewers in (("herbs", ["keyboard"]), ("secrets", ["others"])):
        seed = {"herbs": "1f", "secrets": "2f"}[slug] * 16
        define(slug=slug, title=slug.title(), viewer_groups=viewers, owner_group="others",
               parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": seed})  # fmt: skip
    UseCase.objects.update(budget_group=group)
    send(version, 300)
    aggregate(version)
    page = words(as_bob.get(PAGE))
    assert "at most 16 per person and day." in page
    assert "Secrets" not in page
    assert "secrets" not in page
    # In the provenance of the figures, and in what is written in pictures of them.
    assert len(re.findall(r"ε per person and day, at most", page)) == 2


def test_the_number_of_queries_does_not_grow(as_alice: Client) -> None:
    address = f"{PAGE}?from={days_ago(1)}&to={days_ago(1)}"
    version = define()
    make_histogram(version, ["apple", "fig"], days=4)
    with CaptureQueriesContext(connection) as few:
        assert len(table(as_alice.get(address))) == 2
    many = define(slug="many", title="Many", parameters={**SECOND, "epsilon": 8})
    for locale in many.locales:
        make_histogram(many, [f"fruit {number}" for number in range(210)], days=4, locale=locale)
    with CaptureQueriesContext(connection) as more:
        response = as_alice.get(address.replace("fruits", "many") + "&top=200")
    assert len(table(response)) == 200
    assert len(chart(response)["data"][0]["x"]) == 200
    assert len(more) == len(few)
    assert len(few) <= 29


def test_a_page_reads_a_histogram_once_and_not_its_dictionary(as_bob: Client) -> None:
    version = define()
    make_histogram(version, [f"fruit {number}" for number in range(300)])
    with CaptureQueriesContext(connection) as queries:
        response = as_bob.get(f"{PAGE}?from={days_ago(1)}&to={days_ago(1)}")
    assert len(table(response)) == 20
    assert "20 of 300 above T" in words(response)
    entries = [query["sql"] for query in queries if '"reports_histogramentries"' in query["sql"]]
    assert len(entries) == 2, "the histogram, and what is written small of the days before"
    # All that is asked of the dictionary is whether it has categories.
    dictionary = [query["sql"] for query in queries if 'FROM "reports_dictionaryentry"' in query["sql"]]
    assert all(sql.endswith("LIMIT 1") for sql in dictionary)
    assert len(table(as_bob.get(f"{PAGE}?from={days_ago(1)}&to={days_ago(1)}&q=fruit+29"))) == 11


def test_long_names_leave_room_for_the_bars(as_bob: Client) -> None:
    version = define()
    long = "&" * 60
    make_histogram(version, [long, "fig"])
    response = as_bob.get(f"{PAGE}?from={days_ago(1)}&to={days_ago(1)}")
    layout = chart(response)["layout"]
    assert layout["yaxis"]["ticktext"] == ["&amp;" * 17 + "…", "fig"]
    assert layout["meta"]["named"] == ["&amp;" * 31 + "…", "fig"]
    assert long in html.unescape(words(response))


def test_neighbours_that_are_not_shown_still_make_a_tie(as_bob: Client) -> None:
    version = define()
    make_histogram(version, ["apple", "fig"])
    change_entries(lambda entry: entry.element == "fig", adjusted_upper=870)
    page = f"{PAGE}?from={days_ago(1)}&to={days_ago(1)}"
    assert "<abbr" not in words(as_bob.get(page))
    change_entries(lambda entry: entry.element == "fig", adjusted_upper=890)
    assert words(as_bob.get(page)).count("<abbr") == 2
    assert words(as_bob.get(page + "&q=fig")).count("<abbr") == 1
