"""The page that says how large a site has to be: the command's figures, for those who operate."""

import io

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.formats import date_format

from reports.models import Version
from reports.operations.sizing import kept_costs
from tests.reports.small_fleet import define
from tests.reports.web.pages.reading import text_of

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = reverse("size")


def command(**options: float) -> list[str]:
    out = io.StringIO()
    call_command("size", **{"reports_a_day": 1e9, "targets": 10_000.0, **options}, stdout=out)
    return out.getvalue().splitlines()


def test_page_says_what_the_command_does_and_when_it_was_measured(version: Version, as_alice: Client) -> None:
    for query, options in (
        ({}, {}),
        (
            {"reports": "2e9", "by_devices": "100", "hours": "1.5"},
            {"reports_a_day": 2e9, "by_devices": 1, "hours": 1.5},
        ),
    ):
        text = text_of(as_alice.get(PAGE, query))
        breaks, *lines = command(**options)
        assert " ".join(breaks.split()) in text
        needs = [" ".join(line.split()) for line in lines[2:14]]
        assert [line for line in needs if line not in text] == []
    assert f"Measured on {date_format(kept_costs().measured_on)}" in text
    assert "How large a site has to be" in text_of(as_alice.get(reverse("operations")))


def test_reports_are_like_those_of_use_cases_of_ones_own(version: Version, as_alice: Client) -> None:
    other = define(slug="pears", title="Of others", owner_group="gardeners", viewer_groups=[])
    page = as_alice.get(PAGE, {"like": str(version.pk)})
    assert "Of others" not in text_of(page)
    # Its reports of 64 bits take less than a tenth of the usual ones' room.
    assert text_of(page) != text_of(as_alice.get(PAGE))
    for wrong in ({"like": str(other.pk)}, {"reports": "0"}, {"reports": "many"}, {"peak": "inf"}):
        answer = as_alice.get(PAGE, wrong)
        assert answer.status_code == 400
        assert "have to be corrected" in text_of(answer)


def test_page_is_of_those_who_operate(version: Version, as_bob: Client, client: Client) -> None:
    assert as_bob.get(PAGE).status_code == 404
    assert client.get(PAGE).status_code == 302
