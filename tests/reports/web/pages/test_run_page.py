"""Starting a run, following it, giving it another chance."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.formats import date_format

from reports.jobs import finish_inline
from reports.jobs.failing import postpone
from reports.models import Run, UseCase, Version
from reports.runs import start_run
from reports.storage import StorageUnavailable
from tests.reports.small_fleet import aggregate, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

START = "/use-cases/fruits/runs/"


def test_an_owner_starts_a_run_and_is_taken_to_it(version: Version, alice: User, as_alice: Client) -> None:
    send(version, 150)
    response = as_alice.post(START, {"version": "1"})
    run = Run.objects.get()
    assert response.headers["Location"] == reverse("run", args=[run.pk])
    assert run.requested_by == alice
    page = as_alice.get(response.headers["Location"]).content.decode()
    assert "Waiting for a worker" in page
    assert '<meta http-equiv="refresh"' in page


def test_a_run_is_ordered_for_every_version_with_reports_to_count(version: Version, as_alice: Client) -> None:
    send(version, 300)
    aggregate(version)
    second = define(parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": "1f" * 16})
    send(second, 300, seed=1)
    response = as_alice.post(START, {"version": "1"})
    run = Run.objects.get(state=Run.State.WAITING)
    assert run.version == second
    assert response.headers["Location"] == reverse("run", args=[run.pk])
    send(version, 300, seed=2)
    response = as_alice.post(START, follow=True)
    assert set(Run.objects.filter(state=Run.State.WAITING).values_list("version__number", flat=True)) == {1, 2}
    assert "One run each is ordered for the versions 2, 1." in response.content.decode()
    assert response.redirect_chain[0][0] == reverse("run", args=[run.pk])
    for waiting in Run.objects.filter(state=Run.State.WAITING):
        finish_inline(waiting)
    as_alice.post(START, {"version": "1"})
    assert Run.objects.get(state=Run.State.WAITING).version == version, "all is counted: the one that is shown"


def test_the_link_of_a_run_leads_to_what_it_counted(version: Version, as_alice: Client) -> None:
    send(version, 300)
    aggregate(version)
    second = define(parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": "1f" * 16})
    send(second, 50, seed=1)
    few = aggregate(second)
    assert "&amp;version=2" in as_alice.get(reverse("run", args=[few.pk])).content.decode()
    send(second, 300, seed=2)
    enough = aggregate(second)
    assert "&amp;version=2" not in as_alice.get(reverse("run", args=[enough.pk])).content.decode()


def test_a_run_that_found_nothing_new_says_so_to_owners(version: Version, as_alice: Client, as_bob: Client) -> None:
    def told(run: Run, client: Client) -> list[str]:
        shown = client.get(reverse("run", args=[run.pk])).content.decode()
        return re.findall(r"Nothing had changed|There were no new reports", shown)

    send(version, 80)
    assert told(aggregate(version), as_alice) == []
    nothing = aggregate(version)
    assert told(nothing, as_alice) == ["Nothing had changed"]
    # As the number of parts, it tells whether something had arrived.
    assert told(nothing, as_bob) == []
    UseCase.objects.update(minimum_reports=50)
    assert told(aggregate(version), as_alice) == ["There were no new reports"]
    assert told(nothing, as_alice) == ["Nothing had changed"]
    send(version, 60, seed=1)
    assert told(aggregate(version), as_alice) == []


def test_without_reports_there_is_no_run(version: Version, as_alice: Client) -> None:
    response = as_alice.post(START, follow=True)
    assert "There are no reports in this window" in response.content.decode()
    assert not Run.objects.exists()


def test_a_run_of_nothing_that_exists(version: Version, as_alice: Client) -> None:
    send(version, 150)
    for sent in ({"version": "7"}, {"version": "x"}, {"from": "x"}):
        assert as_alice.post(START, sent).headers["Location"] == "/use-cases/fruits/"
        assert not Run.objects.exists()


def test_a_draft_is_not_aggregated(as_alice: Client) -> None:
    Version.objects.filter(pk=define().pk).update(state=Version.State.DRAFT)
    assert "no active version" in as_alice.post(START, {"version": "1"}, follow=True).content.decode()


def test_the_fragment_follows_the_run(version: Version, as_alice: Client) -> None:
    send(version, 150)
    run = start_run(version, ring=False)
    address = reverse("run_progress", args=[run.pk])
    waiting = as_alice.get(address)
    assert "data-finished" not in waiting.content.decode()
    assert "no-store" in waiting.headers["Cache-Control"]
    finish_inline(run)
    finished = as_alice.get(address).content.decode()
    assert "data-finished" in finished
    assert f"/use-cases/fruits/?from={run.first_day}&amp;to={run.last_day}" in finished
    assert "<html" not in finished


def test_a_run_that_waits_says_until_when_and_owners_try_it_now(
    version: Version, as_alice: Client, as_bob: Client
) -> None:
    send(version, 150)
    run = start_run(version, ring=False)
    postpone(run, StorageUnavailable("SlowDown"))
    run.refresh_from_db()
    assert run.not_before is not None
    address = reverse("run", args=[run.pk])
    for name in ("run", "run_progress"):
        read = as_alice.get(reverse(name, args=[run.pk])).content.decode()
        assert "Waiting for the storage, which cannot be read or written now (SlowDown)." in read
        assert f"It tries again automatically at {date_format(run.not_before, 'DATETIME_FORMAT')} UTC." in read
    assert "Try now" in as_alice.get(address).content.decode()
    assert as_bob.post(reverse("retry_run", args=[run.pk])).status_code == 404
    as_alice.post(reverse("retry_run", args=[run.pk]))
    assert "Waiting for the storage" not in as_alice.get(address).content.decode()
    assert finish_inline(run).state == Run.State.FINISHED
