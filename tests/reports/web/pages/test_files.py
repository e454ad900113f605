"""Files of all figures: each is the table of its page, in every form, and says where its numbers come from."""

import csv
import html
import io
import json
import re
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec
from itertools import product
from typing import Any, Literal

import pyarrow.parquet
import pytest
from django.test import Client

from reports.models import Histogram, UseCase, Version, Viewing
from tests.reports.comparing import send_shares
from tests.reports.entries import change_entries
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send_words
from tests.reports.trends import publish_day
from tests.reports.web.pages.reading import chart, words
from tests.reports.web.pages.tables import PLACES, Shown, differences_of
from tests.reports.web.pages.tables_in_html import tables_in
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# The pages that have a figure.
COMPARED = "/use-cases/words/compare/"
FIGURES = [
    *("/use-cases/fruits/", "/use-cases/slang/", "/use-cases/fruits/compare/", COMPARED),
    *("/use-cases/fruits/trend/", "/use-cases/slang/trend/"),
    *("/use-cases/fruits/elements/?element=apple", "/use-cases/slang/elements/?element=yeet"),
]
# Pages with other parameters.
VIEWS = [
    *(f"/use-cases/fruits/?{query}" for query in (
        "group=category", "values=consistent", "unit=count", "sort=-name&top=2", "group=category&unit=count", "q=an",
        "category=tree", "locale=fr_FR",
    )),
    *(f"/use-cases/slang/?{query}" for query in ("unit=count", "words=all", "sort=-name&q=e")),
    *(f"/use-cases/fruits/compare/?{query}" for query in ("sort=-second", "q=an", "days=1&other-locale=fr_FR")),
    *("/use-cases/fruits/trend/?element=cherry&element=fig&days=4", "/use-cases/fruits/trend/?step=7"),
    *("/use-cases/fruits/elements/?element=fig", "/use-cases/fruits/elements/?element=apple&step=7"),
]  # fmt: skip
# Parameters that choose otherwise than by size, or groups, or have no plain estimates.
NARROWED = re.compile(r"[?&](group|values|words|q|category)=")


@pytest.fixture
@once
def fruits(db: None) -> Version:
    """Two locales that differ, with days on which some fruits are below the threshold, and words in two windows."""
    version = define()
    revision = version.current_dictionary()
    assert revision is not None
    revision.entries.filter(element__in=("apple", "cherry")).update(category="tree", display="A fruit of a tree")
    for seed, locale in ((0, "en_US"), (2, "fr_FR")):
        send_shares(version, 1000, locale=locale, day=days_ago(1), seed=seed)
        publish_day(version, 3, {"apple": 5000, "cherry": 300}, locale=locale)
        # A week of the calendar that is over, whichever day today is.
        back = days_ago(0).isoweekday() + 7
        publish_day(version, back, {"apple": 5000}, locale=locale, first=days_ago(back + 6))
    UseCase.objects.update(dictionary_complete=True)
    aggregate(version)
    found = define_search()
    find(found, ["yeet", "lov", "=1+1"], first=days_ago(30), last=days_ago(22))
    find(found, ["yeet", "rizz"], first=days_ago(7), last=days_ago(1))
    return version


@pytest.fixture
@once
def typed(db: None) -> Version:
    """Words whose sketches are kept, as they are where words are compared."""
    version = define_words(alphabet=dict.fromkeys(("en_US", "fr_FR"), "abeilost"))
    for locale, share in (("en_US", 0.6), ("fr_FR", 0.4)):
        send_words(version, 600, locale=locale, words={"lol": share, "able": 1 - share}, day=days_ago(1))
    aggregate(version)
    return version


def links(page: Any) -> list[dict[str, str]]:
    """The addresses of the files of each figure of a page, by their form."""
    found: list[dict[str, str]] = []
    for address, form in re.findall(r'<a href="([^"]+)" download>(\w+)</a>', page.content.decode()):
        if form == "CSV":
            found.append({})
        found[-1][form] = html.unescape(address)
    return found


def figures(client: Client, addresses: Iterable[str] = FIGURES) -> Iterator[tuple[str, Any, dict[str, str]]]:
    """Return for each page its address, itself, and the files of each of its figures."""
    for address in addresses:
        page = client.get(address, follow=True)
        assert len(links(page)) == (2 if "elements" in address else 1), address
        yield from ((address, page, files) for files in links(page))


def written(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.getvalue().decode()


def differences(client: Client, page: Any) -> Iterator[str]:
    tables = tables_in(page.content.decode())
    assert len(links(page)) == len(tables)
    for files in links(page):
        yield from differences_of(files["CSV"], tables, written(client, files["CSV"]))


@pytest.mark.usefixtures("fruits", "typed")
def test_whatever_a_page_is_asked_for_its_table_is_its_file(as_bob: Client) -> None:
    for address in VIEWS:
        page = as_bob.get(address, follow=True)
        assert page.status_code == 200, address
        check_table(as_bob, address, page)


def check_table(client: Client, address: str, page: Any) -> None:
    rows = tables_in(page.content.decode())[-1]["rows"]
    assert rows, address
    assert list(differences(client, page)) == [], address
    # Where the largest are shown, what they leave closes the table.
    closes = address.partition("?")[0].count("/") == 3 and not NARROWED.search(address)
    assert len(tables_in(page.content.decode())[-1]["closing"]) == closes, address
    if "trend" not in address and "elements" not in address:
        assert len(chart(page)["layout"]["yaxis"]["ticktext"]) == len(rows), address


def check_that_differences_are_found(client: Client, page: Any, address: str) -> None:
    """In what the rows are about, in numbers and words, each by itself."""
    tables, text = tables_in(page.content.decode()), written(client, address)
    rows = tables[0 if PLACES in address else -1]["rows"]
    parts: list[Literal["about", "numbers", "words"]] = ["about", "numbers"]
    for part in parts + (["words"] if "comparison" in address or PLACES in address else []):
        as_it_was = rows[0].copy()
        rows[0][part] = "9,999 others"
        assert len(list(differences_of(address, tables, text))) == 1, (address, part)
        rows[0] = as_it_was
    for closing in tables[-1]["closing"]:
        for numbers in ("9,999 9,998 10,000", closing["numbers"].rpartition("–")[0], ""):
            wrong: Shown = {**closing, "numbers": numbers}
            assert len(list(differences_of(address, [{**tables[-1], "closing": [wrong]}], text))) == 1, address
    rows.pop()
    assert f"{len(rows)} rows are shown" in next(differences_of(address, tables, text))


@pytest.mark.usefixtures("fruits", "typed")
def test_every_figure_has_its_table_in_all_forms_that_say_where_numbers_come_from(as_bob: Client) -> None:
    for address, page, files in figures(as_bob):
        check_table(as_bob, address, page)
        check_that_differences_are_found(as_bob, page, files["CSV"])
        check_page(page)
        Viewing.objects.all().delete()
        assert list(files) == ["CSV", "JSON", "Parquet"]
        document = json.loads(written(as_bob, files["JSON"]))
        rows = list(csv.DictReader(io.StringIO(written(as_bob, files["CSV"]))))
        check_parquet(as_bob.get(files["Parquet"]), document, rows)
        assert sorted(Viewing.objects.values_list("what", flat=True)) == ["csv", "json", "parquet"]
        (entries,) = [document[name] for name in ("entries", "points") if name in document]
        for entry, row in zip(entries, rows, strict=True):
            assert {name: row[name].removeprefix("'") for name in entry} == {
                name: _cell(value) for name, value in entry.items()
            }
        check_origin(as_bob, page, document, rows[0])
        check_shares(rows, ("first_", "second_") if "compare" in address else ("",))
        check_names(address, rows)


def check_parquet(answer: Any, document: dict[str, Any], rows: list[dict[str, str]]) -> None:
    assert answer.headers["Content-Type"] == "application/vnd.apache.parquet"
    table = pyarrow.parquet.read_table(io.BytesIO(answer.content))
    assert table.column_names == list(rows[0])
    assert [{name: _cell(cell) for name, cell in row.items()} for row in table.to_pylist()] == [
        # No spreadsheet reads Parquet.
        {name: cell.removeprefix("'") for name, cell in row.items()}
        for row in rows
    ]
    about = json.loads(table.schema.metadata[b"ldpsite"])
    assert about == {name: value for name, value in document.items() if name not in ("entries", "points")}


def _cell(value: Any) -> str:
    """As it is written in CSV."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "" if value is None else str(value)


# Columns of every file: what each line says, or the document for all of them.
OF_FILES = """use_case version algorithm epsilon confidence locale first_day last_day n threshold alpha generated_at
address""".split()


def check_origin(client: Client, page: Any, document: dict[str, Any], row: dict[str, str]) -> None:
    for name in OF_FILES:
        # Tables of two sides have both.
        sides = [name] if name in row else [f"first_{name}", f"second_{name}"]
        assert all(side in row for side in sides), name
    assert (row["confidence"], row["version"]) == ("0.95", "1")
    assert (document["confidence"], document["parameters"]["epsilon"]) == (0.95, float(row["epsilon"]))
    # It leads to the page with the same rows.
    assert document["address"] == row["address"]
    assert document["address"] in html.unescape(page.content.decode())
    shown = client.get(document["address"], follow=True)
    assert tables_in(shown.content.decode()) == tables_in(page.content.decode())


def check_shares(rows: list[dict[str, str]], sides: Iterable[str]) -> None:
    """Beside each count stands its share."""
    for side, row in product(sides, rows):
        if row[f"{side}estimate"]:
            share = float(row[f"{side}estimate"]) / float(row[f"{side}n"])
            assert float(row[f"{side}share"]) == pytest.approx(share, rel=1e-12)
            assert float(row[f"{side}share_lower"]) < share < float(row[f"{side}share_upper"])
        else:
            assert row[f"{side}share"] == ""


def check_names(address: str, rows: list[dict[str, str]]) -> None:
    named = {row["element"]: (row["display"], row["name"]) for row in rows}
    expected = {"apple": ("A fruit of a tree", "A fruit of a tree"), "banana": ("banana", "")}
    if "slang" in address:
        expected = {"yeet": ("yeet", "")}
    elif address == COMPARED:
        expected = {"lol": ("lol", ""), "able": ("able", "")}
    elif "elements" in address:
        del expected["banana"]  # it is of one element
    assert {element: named.get(element) for element in expected} == expected


@pytest.mark.usefixtures("fruits")
def test_where_parquet_cannot_be_written_no_figure_offers_it(as_bob: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a site that was installed without the optional package."""

    def without_pyarrow(name: str) -> ModuleSpec | None:
        assert name == "pyarrow"
        return None

    monkeypatch.setattr("reports.results.tables.find_spec", without_pyarrow)
    for _address, _page, files in figures(as_bob, [address for address in FIGURES if address != COMPARED]):
        assert list(files) == ["CSV", "JSON"]
        assert as_bob.get(files["CSV"].replace(".csv?", ".parquet?")).status_code == 404
    assert not Viewing.objects.filter(what="parquet").exists()


# Words of every page and picture.
OF_PAGES = [
    *(
        "Use case",
        "Version",
        "Algorithm",
        "ε",
        "n",
        "T (threshold, in reports)",
        "α (expected false entries)",
        "Window",
    ),
    *("Generated", "Level of the intervals"),
]


def check_page(page: Any) -> None:
    """Page and picture say where numbers come from."""
    text = words(page)
    facts = dict(re.findall(r"<dt>([^<]*)</dt> <dd> ([^<]*) </dd>", text.split('<details class="provenance">')[1]))
    origins = [html.unescape(origin) for origin in re.findall(r'data-origin="([^"]*)"', text)]
    assert origins
    assert set(re.findall(r'data-address="([^"]*)"', text)) == {facts["Address"]}
    for name in OF_PAGES:
        assert any(_names(name, fact) for fact in facts), name
        for origin in origins:
            assert any(_names(name, fact.partition(": ")[0]) or name in fact for fact in origin.split(" · ")), name
    assert facts["Level of the intervals"] == "95 %"


def _names(name: str, fact: str) -> bool:
    """Tell whether a fact has this name, of all windows or of one side, too."""
    several = {"n": "n, of all windows together", "Generated": "Newest window generated"}.get(name, name)
    return fact.rpartition(": ")[2] in (name, several)


def test_reports_that_windows_share_are_not_added_up(as_bob: Client) -> None:
    version = define_search()
    find(version, ["yeet"], first=days_ago(8), last=days_ago(2))
    newest = find(version, ["yeet"])
    for n, told in ((10_000, {"n": "10,000"}), (12_000, {"n": "10,000 – 12,000"})):
        Histogram.objects.filter(pk=newest.pk).update(n=n)
        assert _numbers_of_reports(as_bob.get("/use-cases/slang/trend/")) == told
    # Locales share none, nor do windows that only meet.
    find(version, ["yeet"], locale="fr_FR")
    page = as_bob.get("/use-cases/slang/elements/?element=yeet")
    assert _numbers_of_reports(page)["By locale: n, of all windows together"] == "22,000"
    Histogram.objects.filter(last_day=days_ago(2)).update(first_day=days_ago(14), last_day=days_ago(8))
    trend = as_bob.get("/use-cases/slang/trend/")
    assert _numbers_of_reports(trend) == {"n, of all windows together": "22,000"}


def _numbers_of_reports(page: Any) -> dict[str, str]:
    facts = re.findall(r"<dt>([^<]*)</dt> <dd> ([^<]*) </dd>", words(page).split('<details class="provenance">')[1])
    return {name: value for name, value in facts if _names("n", name)}


def test_emoji_are_called_by_their_english_names_whoever_asks(as_bob: Client) -> None:
    version = define(normalization="emoji", dictionary=["😂", "❤️"])
    publish_day(version, 1, {"😂": 5000, "❤": 400})
    change_entries(lambda entry: entry.element == "❤", display="❤️")
    face, heart = {"😂": "face with tears of joy"}, {"❤": "red heart"}
    for path, expected in (
        ("histogram.csv", face | heart),
        ("trend.csv?element=😂&element=❤", face | heart),
        ("elements.csv?element=😂", face),
        ("elements.csv?element=❤", heart),
    ):
        address = f"/use-cases/fruits/{path}"
        answer = as_bob.get(address, headers={"accept-language": "fr"}).getvalue().decode()
        names = {row["element"]: row["name"] for row in csv.DictReader(io.StringIO(answer))}
        assert names == expected
