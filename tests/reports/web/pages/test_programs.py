"""Programs that ask for what a page shows: a command for curl, and lines of Python."""

import shlex
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.test import Client

from reports.models import Version
from tests.reports.comparing import EATEN, send_shares
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
@once
def both(db: None) -> Version:
    version = define()
    for seed, locale in enumerate(EATEN):
        send_shares(version, 1000, locale=locale, day=days_ago(1), seed=seed)
    aggregate(version)
    return version


def shown(client: Client, address: str, program: str) -> str:
    page = client.get(address).content.decode()
    _before, _found, rest = page.partition(f'<code id="as-{program}">')
    return unescape(rest.partition("</code>")[0])


def test_curl_asks_for_what_the_page_shows(both: Version, as_bob: Client) -> None:
    for page, file in (
        ("?locale=fr_FR&days=1&unit=count", "histogram.json?locale=fr_FR"),
        ("compare/?locale=fr_FR", "comparison.json?locale=fr_FR"),
        ("trend/?locale=fr_FR&element=apple&element=fig", "trend.json?locale=fr_FR&element=apple&element=fig"),
    ):
        command = shlex.split(shown(as_bob, f"/use-cases/fruits/{page}", "curl").replace("\\\n", ""))
        assert command[:-1] == ["curl", "--fail-with-body", "--header", "Authorization: Bearer $LDPSITE_TOKEN"]
        address = urlsplit(command[-1])
        assert (address.scheme, address.netloc) == ("http", "testserver")
        answer = as_bob.get(f"{address.path}?{address.query}")
        assert answer.status_code == 200
        expected = as_bob.get(f"/use-cases/fruits/{file}").json()
        # A file of all rows; the page, and what it gives away, has so many at most.
        assert {**answer.json(), "address": ""} == {**expected, "address": ""}


def test_python_is_as_the_client_has_it(both: Version, as_bob: Client) -> None:
    day = days_ago(1)
    assert shown(as_bob, "/use-cases/fruits/?locale=fr_FR&q=%22%5C", "python") == (
        "from ldpsite_client import Site\n"
        'use_case = Site("http://testserver/").use_case("fruits")\n'
        "frame = use_case.histogram(\n"
        '    locale="fr_FR",\n'
        f'    first="{day}",\n'
        f'    last="{day}",\n'
        "    version=1,\n"
        "    top=20,\n"
        '    search="\\"\\\\",\n'
        ").to_frame()"
    )
    compared = shown(as_bob, "/use-cases/fruits/compare/", "python")
    assert f'other_locale="fr_FR",\n    other_first="{day}",\n    other_last="{day}",' in compared
    assert 'use_case.trend(\n    "fig",' in shown(as_bob, "/use-cases/fruits/trend/?element=fig", "python")
    find(define_search(), ["yeet"])
    words = shown(as_bob, "/use-cases/slang/?words=new", "python")
    assert 'use_case.words(\n    locale="en_US",' in words
    assert '    which="new",\n' in words


def test_pages_that_the_api_does_not_have_offer_none(both: Version, as_bob: Client) -> None:
    for address in ("elements/?element=apple", "?from=2020-01-01&to=2020-01-02"):
        assert 'class="programs' not in as_bob.get(f"/use-cases/fruits/{address}").content.decode()
