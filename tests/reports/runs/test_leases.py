"""A lease is renewed while the process that holds it lives, and only by it."""

import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from reports.models import Histogram, Part, Run
from reports.runs import leases, parts, start_run, work_on
from reports.runs.leases import heartbeat
from reports.runs.parts import begin, claim
from reports.runs.steps import Result, result_of
from tests.reports.small_fleet import define, send
from tests.workers import wait_for

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

SHORT = timedelta(seconds=0.6)


@pytest.fixture(autouse=True)
def short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (leases, parts):
        monkeypatch.setattr(module, "LEASE", SHORT)


def planned() -> int:
    version = define()
    send(version, 200)
    (part_id,) = begin(start_run(version, ring=False).pk)
    return part_id


def test_a_part_that_takes_longer_than_a_lease_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    part_id = planned()
    claims: list[Part | None] = []

    def slow(part: Part) -> Result:
        for _ in range(2):
            threading.Event().wait(SHORT.total_seconds())
            claims.append(claim(part_id))
        return result_of(part)

    monkeypatch.setattr(parts, "result_of", slow)
    work_on(part_id)
    assert claims == [None] * 2
    assert Part.objects.get().attempts == 1
    assert Run.objects.get().state == Run.State.FINISHED
    assert Histogram.objects.get().n == 200


def test_a_lease_ends_with_the_work() -> None:
    part_id = planned()
    part = claim(part_id)
    assert part is not None
    with heartbeat(part):
        wait_for(lambda: Part.objects.get().lease_expires_at != part.lease_expires_at)
    last = Part.objects.get().lease_expires_at
    threading.Event().wait(SHORT.total_seconds())
    assert Part.objects.get().lease_expires_at == last
    assert claim(part_id) is not None


def test_a_lease_that_was_taken_over_is_not_renewed() -> None:
    part = claim(planned())
    assert part is not None
    others = timezone.now() + timedelta(days=1)
    with heartbeat(part):
        Part.objects.update(lease_expires_at=others)
        threading.Event().wait(SHORT.total_seconds())
    assert Part.objects.get().lease_expires_at == others


def test_a_worker_that_hangs_loses_its_part_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LONGEST", SHORT)
    part_id = planned()
    part = claim(part_id)
    assert part is not None
    with heartbeat(part):
        wait_for(lambda: claim(part_id) is not None)
