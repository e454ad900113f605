"""Rounds of real devices: driven step by step by any worker, lost with their aggregator, and refused in words."""

import logging
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from aggregation import training
from aggregation.training.roles import Refusal, Statement, Work
from ldpsite.logs import RoutesOnly
from reports.jobs.leases import claim
from reports.jobs.working import begin, do
from reports.models import DeviceRound, TrainingRun, TrainingTask, TrainingVersion
from reports.models.failures import PROCESSES_AWAITED
from reports.training import cancel_training, document_of, model_of, order_device_run, relaying, retry_training
from reports.training.device_rounds import DrivenRounds
from reports.web.api.training_rounds import REFUSALS
from tests.reports.trained import define_task
from tests.reports.training_devices import RATINGS, Fleet, Trusted, open_rounds, post

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

GOAL, EXPECTED = 10, 13


def order(**changes: Any) -> TrainingRun:
    version = define_task(
        **{"published": True, "epsilon_limit": 100, "mode": "train_only", "report_goal": GOAL, **changes}
    )
    return order_device_run(version, items=RATINGS.item_names, ring=False)


def work(run: TrainingRun) -> TrainingRun:
    """Let a worker come once."""
    TrainingRun.objects.filter(pk=run.pk).update(not_before=None)
    begin(run)
    if part := claim(run):
        do(part)
    begin(run)
    run.refresh_from_db()
    return run


def takes_part(said: Statement, _work: Work, _secret: bytes, *, is_held_out: bool) -> bool:
    return (said.purpose == "evaluate") == is_held_out


def test_a_round_survives_its_worker_before_and_after_its_release(
    trusted: Trusted, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = work(order())
    fleet = Fleet(run)
    (announced,) = open_rounds(fleet.slug)
    # Opened again by another worker, it is the same round.
    work(run)
    assert open_rounds(fleet.slug) == [announced]
    fleet.send(range(EXPECTED), announced)
    before = model_of(run)["items"].copy()

    def die(*_arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(DrivenRounds, "_train", die)
        with pytest.raises(KeyboardInterrupt):
            work(run)
    np.testing.assert_array_equal(model_of(run)["items"], before)
    run.parts.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    work(run)
    assert [each["round"] for each in run.rounds.get(number=1).releases] == [1, 1, 1]
    assert open_rounds(fleet.slug)[0]["round"] == 2


def test_a_killed_aggregator_loses_its_round_and_nothing_else(trusted: Trusted) -> None:
    run = work(order(rounds=3))
    fleet = Fleet(run)
    fleet.send(range(EXPECTED))
    work(run)
    fleet.send(range(5))
    message = fleet.sealed(40)
    trusted.start()
    assert post(fleet.slug, "contributions", message).json()["type"].endswith("other-task")
    work(run)
    work(run)
    assert [each.state for each in run.device_rounds.order_by("number")] == ["released", "lost", "open"]
    fleet.send(range(EXPECTED))
    work(run)
    assert run.state == TrainingRun.State.FINISHED
    assert [each.number for each in run.rounds.order_by("number")] == [1, 3]


def test_processes_that_are_away_are_waited_for_and_devices_are_told(trusted: Trusted) -> None:
    run = work(order())
    fleet = Fleet(run)
    message = fleet.sealed(0)
    trusted.are_away = True
    answer = post(fleet.slug, "contributions", message)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "20")
    work(run)
    assert (run.state, run.failure, run.parts.get().attempts) == ("running", PROCESSES_AWAITED, 0)
    trusted.are_away = False
    work(run)
    assert post(fleet.slug, "contributions", message).status_code == 202


def test_a_round_whose_time_is_over_is_released_once_there_are_enough(trusted: Trusted) -> None:
    run = work(order(rounds=1))
    fleet = Fleet(run)
    fleet.send(range(GOAL - 1))
    DeviceRound.objects.update(opened_at=timezone.now() - timedelta(days=2))
    work(run)
    assert (run.state, run.rounds.count()) == ("running", 0)
    fleet.send(range(GOAL - 1, GOAL))
    assert work(run).state == TrainingRun.State.FINISHED


def test_held_out_devices_evaluate_the_model_after_each_round_and_are_charged_apart(trusted: Trusted) -> None:
    run = order(mode="train_and_evaluate", report_goal=10, over_selection=0.0, population=100, rounds=1)
    fleet = Fleet(work(run))
    # Secrets of the devices decide; with these all are held out or none is.
    for number, device in enumerate(fleet.devices):
        device._takes_part = partial(takes_part, is_held_out=number < 12)
    fleet.send(range(24))
    work(run)
    (announced,) = open_rounds(fleet.slug)
    assert (announced["purpose"], run.failure_in_words) == (
        *("evaluate", "Evaluation 1 of 1 is open: 0 of 100 messages of devices have come."),
    )
    # An evaluator is sent the whole model, which few are at a time.
    request = fleet.request(announced)
    with ExitStack() as until_sent:
        for _ in range(relaying.MODELS_AT_ONCE):
            assert relaying.relay_request(fleet.slug, request, until_sent)
        busy = post(fleet.slug, "rows", request)
        assert (busy.status_code, busy.headers["Retry-After"]) == (503, "5")
        assert busy.json()["type"].endswith("models-being-sent")
    # An answer that is sent makes room for the next.
    fleet.send(range(12), announced)
    fleet.send_idle(88, announced)
    work(run)
    assert run.state == TrainingRun.State.FINISHED, run.failure
    found = run.rounds.get()
    assert 0 < found.figures["metrics"]["values"]["rmse"] < 2
    assert document_of(run)["rmse"] == found.figures["metrics"]["values"]["rmse"]
    assert [each["name"] for each in found.releases][-1] == "metrics"
    assert found.epsilon == pytest.approx(4)


def test_the_message_that_completes_a_round_calls_a_worker_and_none_after_it(trusted: Trusted) -> None:
    run = work(order())
    fleet = Fleet(run)
    (announced,) = open_rounds(fleet.slug)
    waiting = TrainingRun.objects.filter(pk=run.pk, not_before__isnull=False)
    fleet.send_idle(EXPECTED - 1, announced)
    assert waiting.exists()
    fleet.send_idle(1, announced)
    assert not waiting.exists()
    TrainingRun.objects.filter(pk=run.pk).update(not_before=timezone.now() + timedelta(seconds=5))
    fleet.send_idle(2, announced)
    assert waiting.exists()
    assert run.device_rounds.get().relayed == EXPECTED + 2


def test_messages_are_refused_with_a_reason_and_counted(trusted: Trusted, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="django.request")
    run = work(order())
    fleet = Fleet(run)
    (announced,) = open_rounds(fleet.slug)
    message = fleet.sealed(0, announced)
    assert len(message) == announced["contribution_bytes"]
    wrong = {
        Refusal.LENGTH: message + b"\0",
        Refusal.TASK: bytes(32) + message[32:],
        Refusal.ROUND: message[:35] + b"\7" + message[36:],
        Refusal.KEY: message[:36] + bytes(16) + message[52:],
    }
    for refusal, sent in wrong.items():
        answer = post(fleet.slug, "contributions", sent)
        assert (answer.status_code, answer.json()["type"]) == (422, f"urn:ldpsite:problem:{REFUSALS[refusal]}")
        assert answer.headers["Content-Type"] == "application/problem+json"
    assert post(fleet.slug, "contributions", b"x").json()["type"].endswith("wrong-length")
    assert post(fleet.slug, "contributions", bytes(4 << 20)).status_code == 413
    assert post(fleet.slug, "rows", message).status_code == 422
    assert post("films", "contributions", message, content_type="text/plain").status_code == 415
    assert post("others", "contributions", message).status_code == 404
    # Sent twice it looks the same from outside, and counts once.
    assert [post(fleet.slug, "contributions", message).status_code for _again in range(2)] == [202, 202]
    fleet.send(range(1, EXPECTED))
    work(run)
    late = post(fleet.slug, "contributions", message)
    assert late.json()["type"].endswith("other-round")
    assert run.device_rounds.get(number=1).refused == {"length": 4, "task": 1, "round": 1, "key": 1, "double": 1}
    assert run.device_rounds.get(number=2).refused == {"round": 1}
    message = fleet.sealed(30)
    cancel_training(run)
    with CaptureQueriesContext(connection) as queries:
        assert post(fleet.slug, "contributions", message).json()["type"].endswith("round-is-over")
    assert [each["sql"] for each in queries if not each["sql"].startswith("SELECT")] == []
    assert run.device_rounds.get(number=2).refused == {"round": 1}
    made = [record for record in caplog.records if record.name == "django.request"]
    assert len(made) >= 10
    assert not [record for record in made if RoutesOnly().filter(record)]


def test_devices_train_the_same_once_and_a_cancelled_run_goes_on_with_the_next_round(
    trusted: Trusted, client: Client
) -> None:
    run = work(order())
    fleet = Fleet(run)
    assert run.failure_in_words == "Round 1 of 2 is open: 0 of 13 messages of devices have come."
    with pytest.raises(ValidationError, match="already"):
        order()
    fleet.send(range(EXPECTED))
    work(run)
    cancel_training(run)
    with pytest.raises(ValidationError, match="exactly these parameters"):
        order()
    run.refresh_from_db()
    retry_training(run)
    work(run)
    assert open_rounds(fleet.slug)[0]["round"] == 2
    fleet.send(range(EXPECTED))
    assert work(run).state == TrainingRun.State.FINISHED
    document = document_of(run)
    assert [each["epsilon"] for each in document["rounds"]][-1] == document["epsilon"] == pytest.approx(4)
    assert [each["round"] for each in document["released"]] == [1, 1, 1, 2, 2, 2]
    assert open_rounds(fleet.slug) == []
    assert {each.relayed for each in run.device_rounds.all()} == {EXPECTED}
    # For a task that only trains no figure is known, and none is drawn or said.
    client.force_login(User.objects.create_superuser("ada"))
    page = client.get("/training/films/").content.decode()
    assert "the task only trains" in page
    assert 'id="chart-' not in page
    card = client.get(f"/training-runs/{run.pk}/model-card.md").content.decode()
    assert "None" not in card
    assert "No device evaluates" in card


def test_a_cancelled_run_goes_on_only_within_what_the_task_allows_now(trusted: Trusted, client: Client) -> None:
    run = work(order(epsilon_limit=6.0))
    fleet = Fleet(run)
    fleet.send(range(EXPECTED))
    work(run)
    cancel_training(run)
    run.refresh_from_db()
    define_task(published=True, mode="train_only", report_goal=GOAL, target_epsilon=3.5, epsilon_limit=6.0)
    with pytest.raises(ValidationError, match="Only an active version"):
        retry_training(run)
    other = order(target_epsilon=3.5, epsilon_limit=6.0)
    # As if the version of the first were active again.
    TrainingVersion.objects.filter(pk=other.version_id).update(state=TrainingVersion.State.CLOSED)
    TrainingVersion.objects.filter(pk=run.version_id).update(state=TrainingVersion.State.ACTIVE)
    with pytest.raises(ValidationError, match="already"):
        retry_training(run)
    cancel_training(other)
    other.rounds.create(number=1, epsilon=3.5, figures={}, releases=[])
    client.force_login(User.objects.create_superuser("ada"))
    answer = client.post(reverse("retry_training", args=[run.pk]), follow=True)
    assert "ε = 7.5 in all" in answer.content.decode()
    TrainingTask.objects.update(epsilon_limit=7.5, published=False)
    with pytest.raises(ValidationError, match="Publish the task first"):
        retry_training(run)
    run.refresh_from_db()
    assert run.state == TrainingRun.State.FAILED
    TrainingTask.objects.update(published=True)
    retry_training(run)
    run.refresh_from_db()
    assert run.state == TrainingRun.State.WAITING


def test_what_devices_cannot_do_is_refused_when_it_is_ordered(trusted: Trusted) -> None:
    for changes, words in (
        ({"report_goal": 50}, "Lower report_goal"),
        ({"algorithm": "dp_ftrl_banded", "minimum_separation": 2, "report_goal": 25}, "needs some 65 devices"),
        ({"mode": "evaluate_only"}, "one that trains"),
        ({"public_features": True}, "needs public features"),
    ):
        with pytest.raises(training.InvalidTask, match=words):
            order(**changes)
    with pytest.raises(ValidationError, match="Publish the task first"):
        order(published=False)
    with pytest.raises(ValidationError, match="Give the task a limit"):
        order(epsilon_limit=None)
    with pytest.raises(ValidationError, match="Give their names"):
        order_device_run(define_task(), ring=False)
    assert not TrainingRun.objects.exists()
