"""The dates of forms: filled with what is shown, asked for only if somebody changed them, kept if they are wrong."""

import html
import re
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from reports.models import Version, Viewing
from reports.pages.date_fields import as_typed
from tests.reports.pages.controls import kind_of, sent_by
from tests.reports.pages.reading import PAGE, words
from tests.reports.small_fleet import LOCALES, aggregate, days_ago, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGES = (PAGE, f"{PAGE}trend/", f"{PAGE}compare/")
OLD, NEW = str(days_ago(3)), str(days_ago(1))


@pytest.fixture
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
def test_they_are_filled_with_the_window_that_is_shown(as_bob: Client) -> None:
    def shown(query: str, *names: str) -> list[str]:
        sent = sent_by(as_bob.get(query))
        return [sent[name] for name in names or ("from", "to")]

    assert shown(PAGE) == [OLD, NEW]
    assert shown(f"{PAGE}?days=1") == [NEW, NEW]
    assert shown(f"{PAGE}?from={days_ago(2)}") == [str(days_ago(2)), NEW]
    assert shown(f"{PAGE}trend/?days=2") == [str(days_ago(2)), NEW]
    assert shown(f"{PAGE}compare/?other-locale=en_US", "from", "to", "other-from", "other-to") == [
        *(NEW, NEW), *(str(days_ago(2)), str(days_ago(2)))
    ]  # fmt: skip
    # Without a window they have what was asked for.
    empty = str(days_ago(9))
    assert shown(f"{PAGE}?from={empty}&to={empty}") == [empty, empty]


@pytest.mark.usefixtures("three_days")
def test_dates_that_nobody_changed_are_not_asked_for(as_bob: Client) -> None:
    """Another locale of the newest days is that of the newest days, also tomorrow."""
    for page, query in (
        (PAGE, ""),
        (PAGE, "days=1"),
        (PAGE, f"to={days_ago(2)}"),
        (PAGE, f"to={days_ago(2)}&days=1"),
        (PAGE, f"from={OLD}&to={NEW}"),
        (f"{PAGE}trend/", "days=2"),
        (f"{PAGE}trend/", f"from={days_ago(2)}"),
    ):
        response = as_bob.get(f"{page}?{query}")
        assert response.status_code == 200
        found = address(as_bob, page, sent_by(response, locale="fr_FR"))
        assert sorted(found.split("&")) == sorted(filter(None, ["locale=fr_FR", *query.split("&")])), page
    compared = as_bob.get(f"{PAGE}compare/?days=1&other-days=2")
    assert address(as_bob, f"{PAGE}compare/", sent_by(compared, top="50")) == "days=1&other-days=2&top=50"


@pytest.mark.usefixtures("three_days")
def test_a_date_that_was_changed_is_taken_with_the_other_in_place_of_a_length(as_bob: Client) -> None:
    for page in (PAGE, f"{PAGE}trend/"):
        response = as_bob.get(f"{page}?days=2")
        sent = sent_by(response, to=str(days_ago(2)))
        assert address(as_bob, page, sent) == f"from={days_ago(2)}&to={days_ago(2)}"
        # Without both dates it is what the page shows by itself.
        assert address(as_bob, page, sent_by(response, from_="", to="")) == ""
    page = f"{PAGE}compare/"
    response = as_bob.get(f"{page}?days=1")
    sent = sent_by(response, from_=OLD, to=OLD)
    assert address(as_bob, page, sent) == f"from={OLD}&to={OLD}"


@pytest.mark.usefixtures("three_days")
def test_of_a_length_that_was_changed_the_dates_follow(as_bob: Client) -> None:
    page = f"{PAGE}compare/"
    response = as_bob.get(f"{page}?days=1")
    assert address(as_bob, page, sent_by(response, days="7")) == "days=7"
    assert address(as_bob, page, sent_by(response, days="7", to=str(days_ago(2)))) == f"to={days_ago(2)}&days=7"
    # Without the length its dates are meant.
    assert address(as_bob, page, sent_by(response, days="")) == f"from={NEW}&to={NEW}"


def test_an_address_that_no_form_sent_means_what_it_says() -> None:
    for query in ("from=2026-03-01&to=2026-03-07", "days=7&to=2026-03-07", "from=2026-03-01&days=7"):
        assert as_typed(QueryDict(query)).urlencode() == query


@pytest.mark.usefixtures("three_days")
@pytest.mark.parametrize("page", PAGES)
def test_a_wrong_date_is_said_beside_its_field_and_all_that_was_typed_is_kept(page: str, as_bob: Client) -> None:
    response = as_bob.get(page, {"locale": "fr_FR", "from": NEW, "to": OLD, "version": "1"})
    assert response.status_code == 400
    sent = sent_by(response)
    assert (sent["locale"], sent["from"], sent["to"]) == ("fr_FR", NEW, OLD)
    fields = errors(response)
    assert fields == {"to": "The window ends before it begins."}
    # Nothing else of the page: neither results nor files, and nobody has looked at any.
    page_text = words(response)
    assert "histogram" not in page_text.partition("</form>")[2].replace("Histogram", "")
    assert 'aria-current="page">' in page_text
    assert not Viewing.objects.exists()
    # Corrected, it leads on.
    assert as_bob.get(page, sent_by(response, to=NEW), follow=True).status_code == 200


def errors(response: Any) -> dict[str, str]:
    """What is said about fields, by their names."""
    found = re.findall(r'<p class="field-error" id="([^"]*)-error">([^<]*)</p>', response.content.decode())
    marked = re.findall(r'aria-invalid="true" aria-describedby="([^"]*)-error"', words(response))
    assert marked == [name for name, _said in found]
    return {name: html.unescape(said) for name, said in found}


@pytest.mark.usefixtures("three_days")
@pytest.mark.parametrize("page", PAGES)
def test_what_is_no_date_stays_to_be_seen(page: str, as_bob: Client) -> None:
    response = as_bob.get(page, {"from": '31.3."2026', "to": NEW})
    assert response.status_code == 400
    assert sent_by(response)["from"] == '31.3."2026'
    # A field for dates would show nothing of it.
    assert (kind_of(response, "from"), kind_of(response, "to")) == ("text", "date")
    assert list(errors(response)) == ["from"]


@pytest.mark.usefixtures("three_days")
def test_either_side_of_a_comparison_has_its_own(as_bob: Client) -> None:
    page = f"{PAGE}compare/"
    response = as_bob.get(page, {"from": OLD, "other-from": NEW, "other-to": OLD, "top": "50"})
    assert list(errors(response)) == ["other-to"]
    sent = sent_by(response)
    assert (sent["from"], sent["other-from"], sent["other-to"], sent["top"]) == (OLD, NEW, OLD, "50")
    # A length and a first day are two windows; the form has shown the one, so the other is new.
    response = as_bob.get(page, {"other-from": OLD, "other-days": "7"})
    assert list(errors(response)) == ["other-from"]


@pytest.mark.usefixtures("three_days")
def test_where_something_else_is_wrong_too_a_page_says_so(as_bob: Client) -> None:
    response = as_bob.get(PAGE, {"from": "x", "top": "0"})
    assert response.status_code == 400
    assert "<strong>From</strong>" in words(response)
    # And where there is no version there is no form.
    Version.objects.update(state=Version.State.DRAFT)
    assert "<strong>From</strong>" in words(as_bob.get(PAGE, {"from": "x"}))
