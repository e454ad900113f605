"""Share of evaluations that is done, by the time that their blocks are expected to take, and what is done now."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

from django.utils import timezone

from reports.evaluation.documents import blocks_of, grid_of
from reports.evaluation.limits import repetition_seconds
from reports.jobs import Share
from reports.models import Evaluation, EvaluationPart


def shares_of(evaluations: Collection[Evaluation]) -> Mapping[Any, Share]:
    """Return how much is done of evaluations that are not finished, with one query beside those of their grids."""
    ours = {each.pk: each for each in evaluations if each.state != Evaluation.State.FINISHED}
    parts = EvaluationPart.objects.filter(evaluation__in=ours).exclude(finished_at=None)
    done = defaultdict(list)
    for pk, number, finished_at in parts.order_by().values_list("evaluation_id", "number", "finished_at"):
        done[pk].append((number, finished_at))
    return {pk: _share(each, done[pk]) for pk, each in ours.items()}


def _share(evaluation: Evaluation, done: list[tuple[int, Any]]) -> Share:
    weights = _weights(evaluation.pk)
    # A retry keeps what was done before it.
    recent = [each for each in done if evaluation.started_at is not None and each[1] >= evaluation.started_at]
    return Share(
        sum(weights[number] for number, _finished_at in done),
        sum(weights[number] for number, _finished_at in recent),
        max((finished_at for _number, finished_at in recent), default=None),
    )


# Pages ask again and again, and it never changes.
@lru_cache(maxsize=64)
def _weights(pk: Any) -> list[float]:
    """Return the part that each block is expected to have in the time of all."""
    evaluation = Evaluation.objects.only("grid", "lists", "exact_reports").get(pk=pk)
    each = repetition_seconds(grid_of(evaluation), exact_reports=evaluation.exact_reports)
    seconds = [(block.stop - block.start) * each[block.shape, block.epsilon] for block in blocks_of(evaluation)]
    return [own / sum(seconds) for own in seconds]


def is_another_at_work(evaluation: Evaluation) -> bool:
    """Tell whether workers are at parts of any other evaluation now."""
    held = EvaluationPart.objects.filter(finished_at=None, lease_expires_at__gt=timezone.now())
    return held.exclude(evaluation=evaluation).filter(evaluation__state=Evaluation.State.RUNNING).exists()
