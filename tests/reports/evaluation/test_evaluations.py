"""Evaluations as jobs: parts in any order give one document; what is done is kept."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from aggregation import ParameterError
from reports.evaluation import TooMuch, cancel_evaluation, delete_evaluation, document_of, order_evaluation, ordering
from reports.evaluation.evaluation_jobs import EvaluationJobs
from reports.jobs import finish_inline, progress_of, retry
from reports.jobs.leases import claim
from reports.jobs.working import begin, do
from reports.models import Evaluation, EvaluationPart

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

GRID: dict[str, Any] = {
    "distributions": ["harmonic", {"observed": "list.tsv"}],
    "elements": 30,
    "reports": 500,
    "mechanisms": [{"algorithm": "CountMeanSketch", "k": [16, 500], "m": 8}],
    "epsilon": [2, 4],
    "repetitions": 30,
    "top": 3,
}


LARGE = [{"algorithm": "CountMeanSketch", "k": 65535, "m": 8}]
MANY = [{"algorithm": "CountMeanSketch", "k": [1, 2, 3, 4], "m": 8}]


def order(seed: int = 7, user: User | None = None, **changes: Any) -> Evaluation:
    return order_evaluation({**GRID, **changes}, lambda _name: "tea\t3\nmilk\t1\n", seed=seed, user=user, ring=False)


def comparable(document: dict[str, Any]) -> dict[str, Any]:
    cells = [{name: value for name, value in cell.items() if name != "seconds"} for cell in document["cells"]]
    return {**document, "cells": cells}


def do_one(evaluation: Evaluation, **which: Any) -> EvaluationPart:
    begin(evaluation)
    part: EvaluationPart = claim(evaluation, **which)
    do(part)
    return part


def test_an_order_calls_workers_once_it_is_committed(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    called: list[Evaluation] = []
    monkeypatch.setattr(ordering, "enqueue", called.append)
    with django_capture_on_commit_callbacks(execute=True):
        evaluation = order_evaluation(GRID, lambda _name: "tea\t3\n")
        assert not called
    assert called == [evaluation]


def test_document_is_the_same_for_any_order_of_parts_and_killed_workers() -> None:
    forwards = finish_inline(order())
    backwards = order()
    begin(backwards)
    numbers = list(backwards.parts.values_list("number", flat=True))
    assert len(numbers) == 8
    # A worker that was killed has left its part: another does it once the lease is over.
    claim(backwards, number=numbers[0]).update_unfinished(lease_expires_at=timezone.now() - timedelta(seconds=1))
    for number in reversed(numbers):
        do(claim(backwards, number=number))
    backwards.refresh_from_db()
    assert backwards.state == forwards.state == Evaluation.State.FINISHED
    assert backwards.parts.get(number=numbers[0]).attempts == 2
    assert len(document_of(forwards)["cells"]) == 8
    assert comparable(document_of(backwards)) == comparable(document_of(forwards))
    # Nothing is kept of parts but that they are done.
    assert [part.facts for part in forwards.parts.all()] == [{}] * 8


def test_a_person_has_two_evaluations_under_way_at_most(alice: User) -> None:
    first, _second = order(user=alice), order(user=alice)
    with pytest.raises(TooMuch, match="2 of your evaluations are still under way"):
        order(user=alice)
    # Evaluations of others, and of the command line, are not counted among them.
    order()
    cancel_evaluation(first)
    order(user=alice)


def test_a_cancelled_evaluation_keeps_its_cells_and_goes_on_from_there() -> None:
    evaluation = order()
    for _part in range(3):
        do_one(evaluation)
    assert cancel_evaluation(evaluation)
    assert not cancel_evaluation(evaluation)
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.failure) == ("failed", "It was cancelled. What is done is kept.")
    assert claim(evaluation) is None
    # Two blocks of 25 repetitions and the rest are a cell of each input; the third is half of the next.
    assert {(cell["distribution"], cell["epsilon"]) for cell in document_of(evaluation)["cells"]} == {
        ("harmonic", 2),
        ("observed", 2),
    }
    retry(evaluation)
    done = finish_inline(evaluation)
    assert comparable(document_of(done)) == comparable(document_of(finish_inline(order())))
    assert progress_of(done).percent == 100


def test_progress_counts_work_and_not_parts_and_says_how_long_the_rest_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Eight times the hash functions take many times as long; two cheap blocks of three are a small part of the work.
    large = [{"algorithm": "CountMeanSketch", "k": [16, 65535], "m": 8}]
    evaluation = order(distributions=["harmonic"], mechanisms=large, epsilon=[2], repetitions=100)
    numbers = [part.number for part in EvaluationJobs().cut(evaluation)]
    assert len(numbers) == 4
    for number in numbers[:2]:
        do_one(evaluation, number=number)
    evaluation.refresh_from_db()
    found = progress_of(evaluation)
    assert (found.done, found.total) == (2, 4)
    assert found.percent < 5
    # So little does not tell how long the rest takes.
    assert found.remaining is None
    do_one(evaluation, number=numbers[2])
    started = timezone.now() - timedelta(seconds=60)
    Evaluation.objects.update(started_at=started)
    done_at = {0: 3, 1: 6, 2: 30}
    for number, seconds in done_at.items():
        evaluation.parts.filter(number=number).update(finished_at=started + timedelta(seconds=seconds))
    evaluation.refresh_from_db()
    found = progress_of(evaluation)
    assert 48 < found.percent < 53
    # Half took 30 seconds, and 30 have passed since.
    assert found.remaining is not None
    assert found.remaining < timedelta(seconds=5)
    # Work before a retry says nothing about the pace since.
    Evaluation.objects.update(started_at=started + timedelta(seconds=29))
    evaluation.refresh_from_db()
    assert progress_of(evaluation).remaining == timedelta()
    Evaluation.objects.update(started_at=timezone.now())
    evaluation.refresh_from_db()
    assert progress_of(evaluation).remaining is None
    assert progress_of(finish_inline(evaluation)).percent == 100


def test_a_part_of_a_deleted_evaluation_is_dropped() -> None:
    evaluation = order()
    do_one(evaluation)
    part = claim(evaluation)
    delete_evaluation(evaluation)
    do(part)
    begin(evaluation)
    assert not Evaluation.objects.exists()
    assert not EvaluationPart.objects.exists()


@pytest.mark.django_db(transaction=True)  # an error ends the connection
def test_a_failed_evaluation_keeps_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = order()
    for _part in range(2):
        do_one(evaluation)

    def fail(*_arguments: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(EvaluationJobs, "do", fail)
    while part := claim(evaluation):
        do(part)
    evaluation.refresh_from_db()
    assert (evaluation.state, len(document_of(evaluation)["cells"])) == ("failed", 2)


@pytest.mark.parametrize(
    ("change", "exact_reports", "message"),
    [
        ({"elements": 300_000}, False, "elements: 300,000 are too many; at most 250,000 fit."),
        ({"repetitions": 20_000}, False, "repetitions: 20,000 are too many; at most 10,000 fit."),
        ({"repetitions": 9000, "top": 900}, False, "repetitions: With so many cells and ranks at most 1,388 fit."),
        ({"top": 2000}, False, "top: 2,000 are too many; at most 1,000 fit."),
        ({"epsilon": [i / 8 for i in range(1, 63)], "mechanisms": MANY, "top": 300}, False, "top: 300 are .* most 201"),
        ({"epsilon": [i / 64 for i in range(1, 1000)]}, False, "epsilon must be a multiple"),
        ({"epsilon": [i / 8 for i in range(1, 127)], "mechanisms": MANY}, False, "cells: 1,008 are too many"),
        ({"repetitions": 10_000, "elements": 200_000, "mechanisms": LARGE}, False, "This would take .* would fit"),
        # Hashing anew for each repetition takes most of it.
        (
            {"repetitions": 2000, "elements": 50_000, "mechanisms": LARGE, "epsilon": [2], "family": "fresh"},
            False,
            "This would take .* would fit",
        ),
        ({"reports": 10**9}, True, "reports: 1,000,000,000 of 5.B each are too many to be made one by one"),
        ({"reports": 10**7, "repetitions": 2000}, True, "repetitions: This would take .* repetitions would fit"),
    ],
)  # fmt: skip
def test_limits_say_what_would_fit(change: dict[str, Any], exact_reports: bool, message: str) -> None:
    change = {"repetitions": 1000 if exact_reports else 30, **change}
    with pytest.raises((TooMuch, ParameterError), match=message):
        order_evaluation({**GRID, **change}, lambda _name: "tea\t3\n", exact_reports=exact_reports, ring=False)
    assert not Evaluation.objects.exists()


def test_a_seed_is_drawn_unless_it_is_given() -> None:
    drawn = order_evaluation(GRID, lambda _name: "tea\t3\n", ring=False)
    assert 0 <= drawn.seed < 2**31
    for seed in (-1, 2**63):
        with pytest.raises(ParameterError, match="The seed must be a whole number from 0"):
            order(seed)
