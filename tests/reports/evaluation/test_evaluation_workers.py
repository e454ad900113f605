"""An evaluation by real workers, one of which is killed in the middle of a part."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reports.evaluation import document_of, order_evaluation
from reports.jobs import finish_inline
from reports.models import Evaluation, EvaluationPart
from tests.reports.evaluation.test_evaluations import GRID, comparable, order
from tests.workers import Workers, wait_for

pytestmark = [pytest.mark.server, pytest.mark.django_db(transaction=True)]


def finished(evaluation: Evaluation) -> bool:
    evaluation.refresh_from_db()
    assert evaluation.state != Evaluation.State.FAILED, evaluation.failure
    return evaluation.state == Evaluation.State.FINISHED


@pytest.mark.broker
def test_a_killed_worker_changes_nothing(workers: Workers) -> None:
    # Three blocks of about a second, so that one is under way when its worker dies.
    grid = {**GRID, "mechanisms": [{"algorithm": "HadamardCountMeanSketch", "k": 64, "m": 64}], "epsilon": [2, 4, 8]}
    large = {**grid, "reports": 200_000, "repetitions": 4}
    victim = workers.start()
    evaluation = order_evaluation(large, lambda _name: "tea\t3\nmilk\t1\n", seed=7)
    wait_for(lambda: EvaluationPart.objects.filter(lease_expires_at__isnull=False).exists())
    workers.kill(victim)
    left = EvaluationPart.objects.filter(finished_at=None)
    assert left.exists()
    left.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    Evaluation.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    workers.start(concurrency=2, beat=True)
    wait_for(lambda: finished(evaluation), timeout=60)
    assert evaluation.parts.filter(attempts__gt=1).exists()
    undisturbed = finish_inline(order(**large))
    assert comparable(document_of(evaluation)) == comparable(document_of(undisturbed))
