"""Ordering evaluations, and cancelling them."""

import secrets
from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import transaction

from aggregation.errors import ParameterError
from aggregation.evaluation import read_grid
from reports.evaluation.limits import check_limits
from reports.jobs import cancel, enqueue
from reports.models import Evaluation, UseCase
from reports.models.failures import CANCELLED

# Seeds that are drawn are short enough to be typed.
DRAWN_SEEDS = 2**31
MOST_SEED = 2**63 - 1


def order_evaluation(
    grid: object,
    load: Callable[[str], str],
    *,
    seed: int | None = None,
    exact_reports: bool = False,
    user: User | None = None,
    use_case: UseCase | None = None,
    ring: bool = True,
) -> Evaluation:
    """Order an evaluation and, with `ring`, call workers to it.

    Raises a `ParameterError` for a grid that cannot be read, and `TooMuch` for one that asks for too much.
    """
    if seed is not None and not 0 <= seed <= MOST_SEED:
        raise ParameterError("seed", f"The seed must be a whole number from 0 to {MOST_SEED}, not {seed}.")
    lists: dict[str, str] = {}

    def keep(name: str) -> str:
        lists[name] = load(name)
        return lists[name]

    check_limits(read_grid(grid, keep), exact_reports=exact_reports)
    drawn = secrets.randbelow(DRAWN_SEEDS) if seed is None else seed
    with transaction.atomic():
        evaluation = Evaluation.objects.create(
            grid=grid,
            lists=lists,
            seed=drawn,
            exact_reports=exact_reports,
            requested_by=user,
            use_case=use_case,
        )
        if ring:
            transaction.on_commit(lambda: enqueue(evaluation))
    return evaluation


def cancel_evaluation(evaluation: Evaluation) -> bool:
    """End an unfinished evaluation and keep what is done of it; returns whether it was unfinished."""
    return bool(cancel([evaluation], CANCELLED, keep_parts=True))
