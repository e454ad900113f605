"""Windows in forms: ranges stay relative, dates are asked for only if they are typed, and kept if they are wrong."""

import html
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db.models import F
from django.http import QueryDict
from django.test import Client

from reports.formatting import written_day
from reports.models import Histogram, Version, Viewing
from reports.web.pages.windows import as_sent, relative
from tests.reports.small_fleet import FRUITS, LOCALES, aggregate, days_ago, define, send
from tests.reports.web.pages.controls import kind_of, sent_by
from tests.reports.web.pages.reading import PAGE, words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGES = (PAGE, f"{PAGE}trend/", f"{PAGE}compare/")


def old() -> str:
    """The first day with reports, as addresses have it."""
    return str(days_ago(3))


def new() -> str:
    """The last one."""
    return str(days_ago(1))


@pytest.fixture
@once
def three_days(db: None) -> Version:
    version = define()
    for day in (3, 2, 1):
        for locale in LOCALES:
            send(version, 110, day=days_ago(day), locale=locale, seed=day)
    aggregate(version)
    return version


def address(client: Client, page: str, sent: dict[str, str]) -> str:
    """Where the form leads."""
    response = client.get(page, sent, follow=True)
    assert response.status_code == 200
    return str(response.request["QUERY_STRING"])


@pytest.mark.usefixtures("three_days")
def test_dates_are_empty_beside_a_range_and_else_those_that_are_shown(as_bob: Client) -> None:
    def shown(query: str, *names: str) -> list[str]:
        sent = sent_by(as_bob.get(query))
        return [sent[name] for name in names or ("window", "from", "to")]

    assert shown(PAGE) == ["7", "", ""]
    assert shown(f"{PAGE}?days=1") == ["1", "", ""]
    assert shown(f"{PAGE}?from={days_ago(2)}") == ["dates", str(days_ago(2)), new()]
    assert shown(f"{PAGE}?days=1&to={days_ago(2)}") == ["dates", str(days_ago(2)), str(days_ago(2))]
    assert shown(f"{PAGE}trend/?days=2") == ["2", "", ""]
    assert shown(f"{PAGE}compare/?days=1&other-to={old()}", "window", "other-window", "other-to") == [
        "1",
        "dates",
        old(),
    ]
    # Without a window they have what was asked for.
    empty = str(days_ago(9))
    assert shown(f"{PAGE}?from={empty}&to={empty}") == ["dates", empty, empty]


@pytest.mark.usefixtures("three_days")
def test_a_window_stays_what_it_is_when_something_else_is_chosen(as_bob: Client) -> None:
    """Another locale of the newest days is that of the newest days, also tomorrow."""
    for page, query in (
        (PAGE, ""),
        (PAGE, "days=1"),
        (PAGE, f"from={old()}&to={new()}"),
        (f"{PAGE}trend/", "days=2"),
        (f"{PAGE}trend/", f"from={days_ago(2)}&to={new()}"),
        (f"{PAGE}elements/", "element=apple&days=7"),
    ):
        response = as_bob.get(f"{page}?{query}")
        assert response.status_code == 200
        of_element = "element" in query
        changed, said = ({"step": "7"}, "step=7") if of_element else ({"locale": "fr_FR"}, "locale=fr_FR")
        found = address(as_bob, page, sent_by(response, **changed))
        assert sorted(found.split("&")) == sorted(filter(None, [said, *query.split("&")])), page
    compared = as_bob.get(f"{PAGE}compare/?days=1&other-days=7")
    assert address(as_bob, f"{PAGE}compare/", sent_by(compared, top="50")) == "days=1&other-days=7&top=50"


def test_a_range_names_its_end_where_that_is_not_yesterday(db: None) -> None:
    assert relative(7, days_ago(1)) == "Last 7 days"
    assert relative(7, days_ago(3)) == f"Last 7 days, to {written_day(days_ago(3))}"


A, B, C = "2026-03-01", "2026-03-02", "2026-03-03"
RANGE = {"window": "7", "window-shown": "7", "from": "", "to": ""}
DATES = {"window": "dates", "window-shown": "dates", "from": A, "to": B}


@pytest.mark.parametrize("prefix", ["", "other-"])
@pytest.mark.parametrize(
    ("form", "changed", "meant"),
    [
        (RANGE, {}, {"days": "7"}),
        (RANGE, {"window": "28"}, {"days": "28"}),
        (RANGE, {"window": ""}, {}),
        # Typed dates are wanted in place of the range that was there before, and a last day alone ends it.
        (RANGE, {"from": A, "to": B}, {"from": A, "to": B}),
        (RANGE, {"from": A}, {"from": A}),
        (RANGE, {"to": B}, {"to": B, "days": "7"}),
        (RANGE | {"window": "", "window-shown": ""}, {"to": B}, {"to": B}),
        (DATES, {"to": C}, {"from": A, "to": C}),
        (DATES, {"from": "", "to": ""}, {}),
        # A range is wanted in place of the dates that were there before.
        (DATES, {"window": "7"}, {"days": "7"}),
        (DATES, {"window": ""}, {}),
        (DATES, {"window": f"{B}..{C}"}, {"from": B, "to": C}),
    ],
)
def test_what_a_form_asks_for(
    form: dict[str, str], changed: dict[str, str], meant: dict[str, str], prefix: str
) -> None:
    sent = QueryDict(urlencode({f"{prefix}{name}": value for name, value in (form | changed).items()}))
    asked = {name: value for name, value in as_sent(sent, prefix).items() if value}
    assert asked == {f"{prefix}{name}": value for name, value in meant.items()}


def test_an_address_that_no_form_sent_means_what_it_says() -> None:
    for query in ("from=2026-03-01&to=2026-03-07", "days=7&to=2026-03-07", "from=2026-03-01&days=7"):
        assert as_sent(QueryDict(query)).urlencode() == query


@pytest.mark.usefixtures("three_days")
def test_a_wrong_date_is_said_beside_its_field_and_all_that_was_typed_is_kept(as_bob: Client) -> None:
    for page in PAGES:
        Viewing.objects.all().delete()
        response = as_bob.get(page, {"locale": "fr_FR", "from": new(), "to": old(), "version": "1"})
        assert response.status_code == 400
        sent = sent_by(response)
        assert (sent["locale"], sent["from"], sent["to"]) == ("fr_FR", new(), old())
        assert '<details class="dates" open>' in words(response)
        fields = errors(response)
        assert fields == {"to": "The window ends before it begins."}
        # Nothing else is on the page: neither results nor files, and no viewing is noted.
        page_text = words(response)
        assert "histogram" not in page_text.partition("</form>")[2].replace("Histogram", "")
        assert 'aria-current="page">' in page_text
        assert not Viewing.objects.exists()
        # Corrected, it leads on.
        assert as_bob.get(page, sent_by(response, to=new()), follow=True).status_code == 200


def errors(response: Any) -> dict[str, str]:
    """Return what is said about fields, by their names."""
    found = re.findall(r'<p class="field-error" id="([^"]*)-error">([^<]*)</p>', response.content.decode())
    marked = re.findall(r'aria-invalid="true" aria-describedby="([^"]*)-error"', words(response))
    assert marked == [name for name, _said in found]
    return {name: html.unescape(said) for name, said in found}


@pytest.mark.usefixtures("three_days")
def test_what_is_no_date_stays_to_be_seen(as_bob: Client) -> None:
    for page in PAGES:
        response = as_bob.get(page, {"from": '31.3."2026', "to": new()})
        assert response.status_code == 400
        assert sent_by(response)["from"] == '31.3."2026'
        # A field for dates would show nothing of it.
        assert (kind_of(response, "from"), kind_of(response, "to")) == ("text", "date")
        assert list(errors(response)) == ["from"]


@pytest.mark.usefixtures("three_days")
def test_either_side_of_a_comparison_has_its_own(as_bob: Client) -> None:
    page = f"{PAGE}compare/"
    response = as_bob.get(page, {"from": old(), "other-from": new(), "other-to": old(), "top": "50"})
    assert list(errors(response)) == ["other-to"]
    sent = sent_by(response)
    assert (sent["from"], sent["other-from"], sent["other-to"], sent["top"]) == (old(), new(), old(), "50")
    # Errors of both sides are said at once.
    response = as_bob.get(page, {"from": "x", "other-from": new(), "other-to": old()})
    assert list(errors(response)) == ["from", "other-to"]


@pytest.mark.usefixtures("three_days")
def test_a_wrong_date_leaves_the_other_side_as_it_is(as_bob: Client) -> None:
    page = f"{PAGE}compare/"
    response = as_bob.get(page, {"days": "7", "other-days": "7", "other-from": "zzz"})
    assert list(errors(response)) == ["other-from"]
    sent = sent_by(response)
    assert (sent["window"], sent["other-from"]) == ("7", "zzz")
    assert address(as_bob, page, sent_by(response, other_from=old())) == f"days=7&other-from={old()}"


@pytest.mark.usefixtures("three_days")
def test_a_wrong_length_is_said_beside_the_ranges(as_bob: Client) -> None:
    for page in PAGES:
        for wrong in ("x", "0", "5000"):
            response = as_bob.get(page, {"days": wrong, "to": old()})
            assert list(errors(response)) == ["window"]
            assert "Days</strong>" in words(response)
            assert "a date cannot be used" not in words(response)
            assert sent_by(response)["to"] == old()


def test_where_nothing_is_shown_no_category_is_told_but_the_one_that_was_chosen(as_bob: Client, db: None) -> None:
    """A category with something above the threshold is a result, and so is a window that is published for it."""
    version = define(dictionary=[{"element": fruit, "category": f"kind of {fruit}"} for fruit in FRUITS])
    for day in (2, 1):
        send(version, 500, day=days_ago(day))
    aggregate(version)
    assert "kind of apple" in words(as_bob.get(PAGE))
    Histogram.objects.exclude(first_day=F("last_day")).delete()
    Viewing.objects.all().delete()
    before = Histogram.objects.count()
    for query in ("from=zzz", "from=zzz&group=category", "from=zzz&category=kind+of+fig", "from=zzz&category=pie"):
        response = as_bob.get(f"{PAGE}?{query}")
        assert list(errors(response)) == ["from"]
        told = re.findall(r'<option value="(kind of [^"]*|pie)"', response.content.decode())
        assert told == ([sent_by(response)["category"]] if "&category" in query else [])
    for page in (f"{PAGE}trend/", f"{PAGE}compare/"):
        response = as_bob.get(f"{page}?from=zzz")
        assert list(errors(response)) == ["from"]
    assert (Histogram.objects.count(), Viewing.objects.count()) == (before, 0)


@pytest.mark.usefixtures("three_days")
def test_where_something_else_is_wrong_too_a_page_says_so(as_bob: Client) -> None:
    response = as_bob.get(PAGE, {"from": "x", "top": "0"})
    assert response.status_code == 400
    assert "<strong>From</strong>" in words(response)
    # And where there is no version there is no form.
    Version.objects.update(state=Version.State.DRAFT)
    assert "<strong>From</strong>" in words(as_bob.get(PAGE, {"from": "x"}))
