"""Predictions of a published model for people who solve for their own part of it: by the kind of model."""

from dataclasses import replace

import numpy as np

from .algorithms import Shared
from .data import Ratings
from .evaluation import Foretell, Score
from .models.factored import foretold, local_parameters, scores
from .models.linear import ratings_of
from .parameters import TrainingTask
from .splits import Draw, with_unrated


class FactoredPredictor:
    """Factored models."""

    def examples(self, task: TrainingTask, ratings: Ratings, draw: Draw) -> Ratings:
        """Return what devices train on: ratings, or choices.

        DPAM knows of all items by itself, gradients need some that were not chosen.
        """
        if not task.is_implicit:
            return ratings
        if task.algorithm != "dpam":
            return with_unrated(ratings, draw)
        return _chosen(ratings)

    def fit(self, task: TrainingTask, shared: Shared, known: Ratings) -> tuple[Foretell, Score]:
        """Solve each person's ridge problem; return what foretells ratings, and what scores all items."""
        items = shared["items"]
        local = local_parameters(task, items, _chosen(known) if task.is_implicit else known)
        return (
            lambda users, places: foretold(task, items, local, users, places),
            lambda users: scores(task, items, local, users),
        )


def _chosen(ratings: Ratings) -> Ratings:
    return replace(ratings, values=np.ones(len(ratings), np.float32))


class LinearPredictor:
    """Linear and logistic models: the same for everybody."""

    def examples(self, task: TrainingTask, ratings: Ratings, draw: Draw) -> Ratings:
        """Return ratings."""
        return ratings

    def fit(self, task: TrainingTask, shared: Shared, known: Ratings) -> tuple[Foretell, Score]:
        """Foretell the same for everybody."""
        found = ratings_of(task, shared)
        return lambda _, places: found[places], lambda users: np.tile(found, (len(users), 1))


def predictor_for(task: TrainingTask) -> FactoredPredictor | LinearPredictor:
    """Return what uses a task's kind of model."""
    return FactoredPredictor() if task.model.kind == "factored" else LinearPredictor()
