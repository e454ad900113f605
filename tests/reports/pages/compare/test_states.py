"""Plain words for each state of a comparison, and the next step."""

import re

import pytest
from django.test import Client

from reports.models import ReadOut, Run, Version, failures
from reports.runs import start_run
from tests.reports.comparing import EATEN, send_shares
from tests.reports.pages.compare.reading import PAGE
from tests.reports.pages.reading import words
from tests.reports.small_fleet import aggregate, days_ago, define

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_each_state_has_its_own_words_and_the_next_step(as_alice: Client, as_bob: Client) -> None:
    version = define()
    assert "No reports of these days. Choose other days, or upload reports." in words(as_alice.get(PAGE))
    send_shares(version, 300, day=days_ago(1))
    assert "have not been counted: aggregate them" in words(as_alice.get(PAGE))
    assert "The owners of this use case can start a run." in words(as_bob.get(PAGE))
    run = start_run(version, ring=False)
    page = words(as_bob.get(PAGE))
    assert "Its reports are being counted." in page
    assert f'href="/runs/{run.pk}/"' in page
    Run.objects.update(state=Run.State.FAILED, failure="The disk is full.")
    page = words(as_bob.get(PAGE))
    assert "The latest run failed: The disk is full." in page
    assert "The owners of this use case can retry it." in page
    Run.objects.update(failure=failures.FILE_MISSING)
    assert "Un fichier de rapports manque" in words(as_bob.get(PAGE, headers={"accept-language": "fr"}))
    Run.objects.filter(pk=run.pk).update(state=Run.State.WAITING)
    send_shares(version, 99, locale="fr_FR", day=days_ago(1))
    aggregate(version)
    page = words(as_bob.get(PAGE))
    # Which of the two it is.
    assert re.search(
        r"A: English \(United States\), .*?Published: 300 reports.*?B: French \(France\), .*?Too few", page
    )
    assert "99" not in re.sub(r'<input[^>]*name="csrf[^>]*>', "", page)


def test_nothing_above_on_either_side_is_said(as_bob: Client) -> None:
    version = define(dictionary=["quince"])
    for locale in EATEN:
        send_shares(version, 500, locale=locale, day=days_ago(1))
    aggregate(version)
    assert "No element reaches the threshold on either side" in words(as_bob.get(PAGE))


def test_the_same_reports_and_lost_counts_are_said(both: Version, as_bob: Client) -> None:
    query = {"from": str(days_ago(1)), "other-locale": "en_US", "other-from": str(days_ago(1))}
    assert "Both sides are the same reports" in words(as_bob.get(PAGE, query))
    ReadOut.objects.filter(locale="fr_FR").delete()
    query = {"from": str(days_ago(1)), "to": str(days_ago(1))}
    assert "The counts behind these histograms are not kept" in words(as_bob.get(PAGE, query))


@pytest.mark.usefixtures("both")
def test_search_without_a_hit(as_bob: Client) -> None:
    page = words(as_bob.get(PAGE, {"q": "<i>"}))
    assert "is called “&lt;i&gt;”" in page
    assert "chart-figure" not in page
