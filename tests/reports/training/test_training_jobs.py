"""Training as jobs: rounds, what is kept and what is forgotten; a seed gives the same again."""

from contextlib import nullcontext
from datetime import timedelta
from functools import partial

import numpy as np
import pytest
from django.core.files.storage import storages
from django.db import OperationalError, connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from aggregation import training
from aggregation.training.roles import RoleError
from reports.jobs import finish_inline, progress_of
from reports.jobs.job_types import type_of
from reports.jobs.leases import claim
from reports.jobs.working import begin, do
from reports.models import TrainingFile, TrainingRound, TrainingRun
from reports.models.failures import SPENT
from reports.training import cancel_training, document_of, may_go_on, model_of, order_training, retry_training
from reports.training.documents import released
from reports.training.ledgers import Ledger, Spent, ledger_of
from reports.training.model_card import model_card
from reports.training.run_facts import runs_together, shown_run
from reports.training.tasks import forget
from reports.training.training_jobs import noise_seed
from tests.reports.trained import define_task, device_data, order, trained

pytestmark = [pytest.mark.exact, pytest.mark.django_db]
# A worker's error ends its connection.
commits = pytest.mark.django_db(transaction=True)


def test_a_run_keeps_rounds_releases_and_model_and_forgets_what_devices_held() -> None:
    run = trained()
    assert run.state == TrainingRun.State.FINISHED
    document = document_of(run)
    assert list(document) == [
        *("rmse", "recall_at_20", "baselines", "epsilon", "delta", "rounds", "released", "seconds"),
        *("recall_at_20_standard_error", "recall_baselines", "people"),
    ]
    assert set(document["baselines"]) == {"mean", "popularity", "public_features"}
    rounds = [*run.rounds.order_by("number")]
    assert [each.number for each in rounds] == [1, 2]
    assert rounds[-1].epsilon == document["epsilon"] == pytest.approx(4)
    assert [each.figures["rmse"] for each in rounds] == [each["rmse"] for each in document["rounds"]]
    assert released(run) == document["released"]
    # The model is the trainer's.
    again = training.train(
        training.TrainingTask.from_mapping({"slug": "films", "title": "Films to watch", **run.version.parameters}),
        *device_data(),
        seed=7,
        noise_seed=noise_seed(run),
    )
    for name, array in model_of(run).items():
        np.testing.assert_array_equal(array, again.shared[name])
    assert set(model_of(run)) == set(again.shared)
    assert run.item_names[:2] == ["Film 0", "Film 1"]
    assert set(run.files.values_list("kind", flat=True)) == {"model"}
    assert not run.parts.exclude(facts={}).exists()


def test_the_same_seed_trains_the_same_model_whatever_happens_to_its_worker() -> None:
    first = trained()
    second = order(first.version)
    begin(second)
    lost = claim(second)
    # Its lease runs out, with a round told of.
    TrainingRound.objects.create(run=second, number=1, epsilon=9.0)
    lost.update_unfinished(lease_expires_at=timezone.now() - timedelta(minutes=1))
    second = finish_inline(second)
    assert second.rounds.count() == 2
    assert {**document_of(first), "seconds": 0} == {**document_of(second), "seconds": 0}
    # A late worker changes nothing.
    files = {*second.files.values_list("file_name", flat=True)}
    do(lost)
    assert {*second.files.values_list("file_name", flat=True)} == files


def test_runs_share_noise_only_if_they_are_the_same() -> None:
    run = order(define_task())
    others = [
        order(run.version, target_epsilon=1.0),
        order(run.version, seed=8),
        order(run.version, split=TrainingRun.Split.USERS),
        order_training(run.version, device_data()._replace(features=None), seed=7, ring=False),
        order(define_task(rounds=1)),
        order(define_task(slug="series")),
    ]
    assert noise_seed(order(run.version)) == noise_seed(run)
    assert len({noise_seed(each) for each in (run, *others)}) == 7
    before = noise_seed(run)
    with override_settings(SECRET_KEY="another"):
        assert noise_seed(run) != before


def test_a_cancelled_run_forgets_what_devices_held_and_its_worker_stops() -> None:
    run = order(define_task())
    names = [*run.files.values_list("file_name", flat=True)]
    assert all(storages["shards"].exists(name) for name in names)
    begin(run)
    part = claim(run)
    assert cancel_training(run)
    assert not cancel_training(run)
    do(part)
    run.refresh_from_db()
    assert (run.state, run.is_cancelled, run.document, run.rounds.count()) == ("failed", True, None, 0)
    assert not run.files.exists()
    assert not may_go_on(run)
    retry_training(run)
    run.refresh_from_db()
    assert run.state == TrainingRun.State.FAILED


def test_runs_are_held_before_they_go_on_and_before_their_devices_are_forgotten() -> None:
    """Else one of the two could go on with what the other is deleting."""
    run = order(define_task())
    TrainingRun.objects.update(state="failed", finished_at=timezone.now() - timedelta(days=2))
    for step in (forget, partial(retry_training, run)):
        with CaptureQueriesContext(connection) as asked:
            step()
        statements = [each["sql"] for each in asked]
        held = next(
            place for place, sql in enumerate(statements) if "reports_trainingrun" in sql and "FOR UPDATE" in sql
        )
        changed = [place for place, sql in enumerate(statements) if sql.startswith(("DELETE", "UPDATE", "INSERT"))]
        assert all(held < place for place in changed)
        run.refresh_from_db()


@commits
def test_a_failed_run_may_go_on_for_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    run = order(define_task())

    def fail(*_arguments: object, **_options: object) -> None:
        raise ArithmeticError

    with monkeypatch.context() as patch:
        patch.setattr(training, "train", fail)
        assert finish_inline(run).state == TrainingRun.State.FAILED
    run.refresh_from_db()
    assert may_go_on(run)
    forget()
    assert run.files.exists()
    retry_training(run)
    run = finish_inline(run)
    assert run.state == TrainingRun.State.FINISHED
    late = order(run.version)
    with monkeypatch.context() as patch:
        patch.setattr(training, "train", fail)
        finish_inline(late)
    TrainingRun.objects.filter(pk=late.pk).update(finished_at=timezone.now() - timedelta(days=2))
    forget()
    assert not TrainingFile.objects.filter(run=late).exists()


def test_a_sealed_run_that_lost_its_worker_spends_its_budget_and_is_not_begun_anew() -> None:
    run = order(define_task(), sealed=True)
    TrainingRound.objects.create(run=run, number=1, epsilon=1.5)
    failed = finish_inline(run)
    assert failed.state == TrainingRun.State.FAILED
    assert not may_go_on(failed)
    # Its last round was not let out, so that all of it counts as spent.
    assert ledger_of(run.version.task).file.epsilon == 4


@commits
def test_a_sealed_run_that_a_transient_error_ended_is_not_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    run = order(define_task(), sealed=True)
    begun = 0

    def lose_database(*_arguments: object, **_options: object) -> None:
        nonlocal begun
        begun += 1
        raise OperationalError

    monkeypatch.setattr(training, "train", lose_database)
    # No role is asked for anything before the error.
    monkeypatch.setattr("reports.training.training_jobs.sealed_rounds", lambda _features: nullcontext())
    begin(run)
    do(claim(run))
    assert (run.parts.get().attempts, run.rounds.count()) == (0, 0)
    TrainingRun.objects.update(not_before=None)
    do(claim(run))
    run.refresh_from_db()
    assert (begun, run.state, run.failure) == (1, TrainingRun.State.FAILED, SPENT)
    assert not may_go_on(run)
    assert ledger_of(run.version.task) == Ledger(file=Spent(epsilon=4, delta=1e-3, runs=1))


def test_a_sealed_run_goes_through_the_processes_of_all_roles() -> None:
    run = finish_inline(order(define_task(rounds=1), people=30, sealed=True))
    assert run.state == TrainingRun.State.FINISHED, run.failure
    assert [each.epsilon for each in run.rounds.order_by("number")][-1] == pytest.approx(4)
    assert document_of(run)["rmse"] > 0


def test_what_a_role_says_ends_a_sealed_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise RoleError("Below the report goal of 100 nothing is let out.")

    monkeypatch.setattr(training, "train", refuse)
    monkeypatch.setattr("reports.training.training_jobs.sealed_rounds", lambda _features: nullcontext())
    refused = finish_inline(order(define_task(rounds=1, report_goal=100), sealed=True))
    assert (refused.state, refused.rounds.count()) == ("failed", 0)
    assert "Below the report goal of 100" in refused.failure


def test_a_worker_may_hold_a_run_for_a_day() -> None:
    assert type_of(order(define_task())).longest == timedelta(days=1)


def test_progress_is_of_rounds() -> None:
    run = order(define_task(rounds=200))
    begin(run)
    claim(run)
    assert progress_of(run).percent == 0
    # Not every round of many has a row.
    TrainingRound.objects.create(run=run, number=100)
    run.refresh_from_db()
    progress = progress_of(run)
    assert (progress.percent, progress.stage, progress.held) == (50, "training", 1)


def test_releases_of_rounds_that_are_not_evaluated_are_those_of_the_next_that_is() -> None:
    run = finish_inline(order(define_task(algorithm="dp_sgd", rounds=101, noise_multiplier=5)))
    assert run.rounds.count() == 51
    assert [each["round"] for each in released(run)] == [*range(1, 102)]
    assert released(run) == document_of(run)["released"]
    assert [each["round"] for each in document_of(run)["rounds"]] == [*range(1, 102)]
    shown = shown_run(run.version.task)
    assert shown is not None
    assert "dp_sgd, 101 rounds" in model_card(shown)


def test_the_ledger_adds_up_runs_with_noise_and_compares_those_of_the_same_data() -> None:
    run = trained()
    other = finish_inline(order(run.version, target_epsilon=1.0))
    elsewhere = finish_inline(order_training(run.version, device_data()._replace(features=None), seed=1, ring=False))
    again = finish_inline(order(run.version, seed=8))
    ledger = ledger_of(run.version.task).file
    assert (ledger.epsilon, ledger.delta) == pytest.approx((13, 4e-3))
    assert (ledger.runs, ledger.without_noise) == (4, 1)
    shown = shown_run(run.version.task)
    assert shown is not None
    assert shown.run == again
    together = runs_together(run.version.task, str(run.pk), [elsewhere.pk, run.pk])
    assert together.shown is not None
    assert [each.run for each in together.listed] == [elsewhere, run]
    # Runs that differ in their seeds are one setting; those over other data are not beside them.
    settings = together.settings
    assert [(each.target, each.count) for each in settings] == [(4, 2), (1.0, 1), (None, 1)]
    assert settings[0].run is together.shown
    errors = [document_of(each)["rmse"] for each in (run, again)]
    assert settings[0].rmse == pytest.approx(np.mean(errors))
    # Student's t with one degree of freedom.
    assert settings[0].half_width == pytest.approx(12.7062 * np.std(errors, ddof=1) / np.sqrt(2), rel=1e-5)
    assert settings[1].half_width == pytest.approx(1.96 * other.rounds.get(number=2).figures["rmse_error"])
    assert elsewhere.data != run.data


def test_a_target_that_cannot_be_kept_is_refused_before_anything_is_stored() -> None:
    version = define_task()
    with pytest.raises(training.InvalidTask, match="at most 10"):
        order(version, target_epsilon=11)
    assert not TrainingRun.objects.exists()
    assert not TrainingFile.objects.exists()
