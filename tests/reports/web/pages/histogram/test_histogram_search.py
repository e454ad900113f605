"""Searching for elements: above the threshold, below it, and written wrongly."""

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reports.models import Version, Viewing
from tests.reports.small_fleet import days_ago, define
from tests.reports.web.pages.reading import PAGE, exported, make_histogram, table, words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

DOMAINS = ["netflix.com", "amazon.com", "wikipedia.org", "en.wikipedia.org", "amazing.example", "netflicks.example"]


@pytest.fixture
@once
def domains(db: None) -> Version:
    """A histogram with two elements above its threshold, of a dictionary of six."""
    found = define(normalization="domain", dictionary=DOMAINS)
    revision = found.current_dictionary()
    assert revision is not None
    revision.entries.filter(element="wikipedia.org").update(category="reference")
    make_histogram(found, ["netflix.com", "amazon.com"])
    return found


def search(client: Client, wanted: str, **others: str) -> Any:
    window = {"from": str(days_ago(1)), "to": str(days_ago(1))}
    return client.get(PAGE, {**window, "q": wanted, **others})


def beside(response: Any) -> dict[str, str]:
    """The elements that are listed beside the table, in their order, with what is said of each."""
    found = re.findall(
        r'<a class="to-element" href="([^"]*)"><bdi[^>]*>([^<]*)</bdi>[^/]*(?:</span>)?</a>'
        r' <span class="quiet">([^<]*)</span>',
        words(response),
    )
    assert all(html.unescape(link).startswith(f"{PAGE}elements/?element=") for link, _name, _share in found)
    return {html.unescape(name): share for _link, name, share in found}


@pytest.mark.usefixtures("domains")
def test_elements_below_the_threshold_are_found_with_the_bound_of_their_page(as_bob: Client) -> None:
    page = search(as_bob, "wikipedia")
    found = beside(page)
    assert list(found) == ["wikipedia.org", "en.wikipedia.org"]
    (bound,) = set(found.values())
    assert re.fullmatch(r"below T, at most \d\.\d\d %", bound)
    assert bound in words(as_bob.get(f"{PAGE}elements/?element=wikipedia.org"))
    assert "No name matches" not in words(page)
    assert table(page) == []
    assert exported(as_bob, page, "json")["entries"] == []


@pytest.mark.usefixtures("domains")
def test_elements_below_the_threshold_stand_beside_those_above(as_bob: Client) -> None:
    page = search(as_bob, "ama")
    assert table(page) == ["amazon.com"]
    assert list(beside(page)) == ["amazing.example"]


@pytest.mark.usefixtures("domains")
def test_near_names_are_offered_only_if_nothing_is_called_so(as_bob: Client) -> None:
    page = search(as_bob, "netflx")
    assert "No element of the dictionary is called “netflx”" in words(page)
    assert "is called “&lt;i&gt;”" in words(search(as_bob, "<i>"))
    assert beside(page) == {"netflix.com": "9.99 %"}
    # The fewest letters first.
    assert list(beside(search(as_bob, "amazn"))) == ["amazon.com"]
    assert list(beside(search(as_bob, "wikipedai.org"))) == ["wikipedia.org", "en.wikipedia.org"]
    assert beside(search(as_bob, "quite another thing")) == {}


@pytest.mark.usefixtures("domains")
def test_only_the_category_is_searched(as_bob: Client) -> None:
    assert list(beside(search(as_bob, "wikipedia", category="reference"))) == ["wikipedia.org"]
    assert list(beside(search(as_bob, "wikipedai", category="reference"))) == ["wikipedia.org"]
    page = search(as_bob, "netflix", category="reference")
    assert beside(page) == {}
    # The dictionary has it in another category: it is not said that it has none, but where to search.
    assert "No element of the category “reference” is called “netflix”." in words(page)
    assert "Search the whole dictionary" in words(page)


def test_elements_found_are_limited(as_bob: Client) -> None:
    version = define(normalization="domain", dictionary=[f"a{number}.example" for number in range(50)])
    make_histogram(version, ["a49.example"])
    page = search(as_bob, "example")
    assert len(beside(page)) == 20
    assert "There are more." in words(page)


@pytest.mark.usefixtures("domains")
def test_counts_are_of_what_is_asked_for(as_bob: Client) -> None:
    everything = words(as_bob.get(f"{PAGE}?from={days_ago(1)}&to={days_ago(1)}"))
    assert "2 of 2 above T" in everything
    assert " 2 elements are below it." in everything
    found = words(search(as_bob, "amazon"))
    assert "1 of 1 above T that match" in found
    assert "Of the whole dictionary, 2 elements are below it." in found
    assert "nothing above T matches" in words(search(as_bob, "wikipedia"))
    category = words(as_bob.get(f"{PAGE}?from={days_ago(1)}&to={days_ago(1)}&category=reference"))
    assert "nothing above T matches" in category


@pytest.mark.parametrize(("language", "name"), [("en", "tears of joy"), ("fr", "riant aux larmes"), ("en", "larmes")])
def test_emoji_below_the_threshold_are_found_by_their_names(as_bob: Client, language: str, name: str) -> None:
    version = define(normalization="emoji", dictionary=["😂", "👍"])
    make_histogram(version, ["👍"])
    page = as_bob.get(
        PAGE,
        {"from": str(days_ago(1)), "to": str(days_ago(1)), "q": name},
        headers={"accept-language": language},
    )
    assert "😂" in "".join(re.findall(r'<ul class="named-elements">(.*?)</ul>', words(page)))


@pytest.mark.usefixtures("domains")
def test_searches_are_noted_and_ask_the_database_a_few_times(as_bob: Client) -> None:
    address = f"{PAGE}?from={days_ago(1)}&to={days_ago(1)}"
    search(as_bob, "wikipedia")
    with CaptureQueriesContext(connection) as without:
        as_bob.get(address)
    for wanted, more in (("wikipedia", 1), ("netflx", 3)):
        Viewing.objects.all().delete()
        with CaptureQueriesContext(connection) as queries:
            search(as_bob, wanted)
        assert Viewing.objects.filter(what="page").exists()
        assert len(queries) <= len(without) + more
