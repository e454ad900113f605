"""Ordering evaluations, cancelling and deleting them."""

import secrets
from collections.abc import Callable, Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from aggregation.errors import ParameterError
from aggregation.evaluation import read_grid
from reports.evaluation.limits import TooMany, check_limits
from reports.formatting import whole
from reports.jobs import cancel, enqueue
from reports.models import Evaluation, UseCase
from reports.models.failures import CANCELLED

# Seeds that are drawn are short enough to be typed.
DRAWN_SEEDS = 2**31
MOST_SEED = 2**63 - 1
# Unfinished evaluations of one person, so that workers have time for runs and for the evaluations of others.
MOST_UNFINISHED = 2


def order_evaluation(
    grid: object,
    load: Callable[[str], str],
    *,
    seed: int | None = None,
    exact_reports: bool = False,
    user: User | None = None,
    use_case: UseCase | None = None,
    window: Mapping[str, str] | None = None,
    ring: bool = True,
) -> Evaluation:
    """Order an evaluation and, with `ring`, call workers to it.

    Raises a `ParameterError` for a grid that cannot be read, and `TooMuch` for one that asks for too
    much or is one too many.
    """
    if seed is not None and not 0 <= seed <= MOST_SEED:
        raise ParameterError("seed", f"The seed must be a whole number from 0 to {MOST_SEED}, not {seed}.")
    lists: dict[str, str] = {}

    def keep(name: str) -> str:
        lists[name] = load(name)
        return lists[name]

    check_limits(read_grid(grid, keep), exact_reports=exact_reports)
    if user is not None:
        check_unfinished(user)
    drawn = secrets.randbelow(DRAWN_SEEDS) if seed is None else seed
    with transaction.atomic():
        evaluation = Evaluation.objects.create(
            grid=grid,
            lists=lists,
            seed=drawn,
            exact_reports=exact_reports,
            requested_by=user,
            use_case=use_case,
            window=dict(window or {}),
        )
        if ring:
            transaction.on_commit(lambda: enqueue(evaluation))
    return evaluation


def check_unfinished(user: User) -> None:
    """Raise `TooMany` if a person has as many evaluations under way as they may."""
    unfinished = Evaluation.objects.unfinished().filter(requested_by=user).count()
    if unfinished >= MOST_UNFINISHED:
        raise TooMany(
            _("%(most)s of your evaluations are still under way: wait for one of them, or cancel it.")
            % {"most": whole(MOST_UNFINISHED)}
        )


def cancel_evaluation(evaluation: Evaluation) -> bool:
    """End an unfinished evaluation and keep what is done of it; returns whether it was unfinished."""
    return bool(cancel([evaluation], CANCELLED, keep_parts=True))


def delete_evaluation(evaluation: Evaluation) -> None:
    """Delete an evaluation with its lists and all that it found; workers that are at a part drop it."""
    with transaction.atomic():
        # Held, so that no worker plans parts of it meanwhile.
        for held in Evaluation.objects.filter(pk=evaluation.pk).select_for_update():
            held.delete()
