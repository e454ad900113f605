"""Plain words for each state of a comparison, and the next step."""

import re

import pytest
from django.test import Client

from reports.formatting import day_range
from reports.models import Run, Version, failures
from reports.runs import start_run
from tests.reports.comparing import EATEN, send_shares
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import FRUITS, aggregate, days_ago, define
from tests.reports.trends import publish_day
from tests.reports.web.pages.compare.reading import PAGE
from tests.reports.web.pages.reading import words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


NOT_YET = "Too few reports yet, or none. Results appear for days that together have at least 100 reports."


def test_what_waits_and_what_runs_do_is_said_to_owners_alone(as_alice: Client, as_bob: Client) -> None:
    version = define()

    def page(client: Client) -> str:
        return re.sub(r'<input[^>]*name="csrf[^>]*>', "", words(client.get(PAGE)))

    empty = page(as_bob)
    assert empty.count(NOT_YET) == 2
    send_shares(version, 300, day=days_ago(1))
    run = start_run(version, ring=False)
    assert page(as_bob) == empty
    assert f'href="/runs/{run.pk}/"' in page(as_alice)
    Run.objects.update(state=Run.State.FAILED, failure=failures.FILE_MISSING)
    assert page(as_bob) == empty
    assert "Un fichier de rapports manque" in words(as_alice.get(PAGE, headers={"accept-language": "fr"}))
    Run.objects.filter(pk=run.pk).update(state=Run.State.WAITING)
    send_shares(version, 99, locale="fr_FR", day=days_ago(1))
    aggregate(version)
    # One of the two is named.
    assert re.search(
        r"A: English \(United States\), .*?Published: 300 reports.*?B: French \(France\), .*?Too few", page(as_bob)
    )
    assert "99" not in page(as_bob)


def test_nothing_above_on_either_side_is_said(as_bob: Client) -> None:
    version = define(dictionary=["quince"])
    for locale in EATEN:
        publish_day(version, 1, {}, locale=locale)
    assert "No element reaches the threshold on either side" in words(as_bob.get(PAGE))


def test_the_same_reports_are_said(both: Version, as_bob: Client) -> None:
    query = {"from": str(days_ago(1)), "other-locale": "en_US", "other-from": str(days_ago(1))}
    assert "Both sides are the same reports" in words(as_bob.get(PAGE, query))


def test_lists_whose_sketches_are_gone_are_said(as_bob: Client) -> None:
    version = define_search()
    for locale in ("en_US", "fr_FR"):
        find(version, ["yeet"], locale=locale)
    assert "The sketches behind these lists are not kept" in words(as_bob.get("/use-cases/slang/compare/"))


def test_days_and_elements_that_are_not_compared_are_said(both: Version, as_bob: Client) -> None:
    both.shards.all().delete()
    define(dictionary=[*FRUITS, "quince"])
    query = {"from": str(days_ago(1)), "to": str(days_ago(1)), "other-from": str(days_ago(3))}
    page = words(as_bob.get(PAGE, query))
    assert "Not counted yet: quince." in page
    left_out = f"Left out: {day_range(days_ago(3), days_ago(2))}. These days have too few reports"
    assert left_out in page


@pytest.mark.usefixtures("both")
def test_search_without_a_hit(as_bob: Client) -> None:
    page = words(as_bob.get(PAGE, {"q": "<i>"}))
    assert "is called “&lt;i&gt;”" in page
    assert "chart-figure" not in page
