"""Evaluations as jobs: a part is a block of repetitions, whose result depends on the grid and the seed alone."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db import transaction

from aggregation.evaluation import do_block
from reports.evaluation.documents import blocks_of, document_of, grid_of, pack
from reports.evaluation.work import shares_of
from reports.jobs import JobType, Share, end, hand_in, hold
from reports.models import Evaluation, EvaluationPart


class EvaluationJobs(JobType[Evaluation, EvaluationPart]):
    model = Evaluation

    def cut(self, job: Evaluation) -> Iterable[EvaluationPart]:
        return [EvaluationPart(evaluation=job, number=number) for number in range(len(blocks_of(job)))]

    def do(self, part: EvaluationPart) -> None:
        evaluation = part.evaluation
        block = blocks_of(evaluation)[part.number]
        hand_in(
            part,
            facts=pack(do_block(grid_of(evaluation), block, evaluation.seed, exact_reports=evaluation.exact_reports)),
        )

    def shares(self, jobs: Collection[Evaluation]) -> Mapping[Any, Share]:
        return shares_of(jobs)

    def finish(self, job: Evaluation) -> None:
        with transaction.atomic():
            if held := hold(job):
                held.document = document_of(held)
                held.save(update_fields=["document"])
                end(held)
