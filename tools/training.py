"""Measure private training on the demonstration's data, over five seeds, and print the tables of docs/training.md.

`make training` does. A seed decides what is held out, where training begins, and the noise. Every algorithm has the
parameters that it has by default, but for those in `ALGORITHMS`, which are the same at every ε.
"""

import math
import sys
from typing import Any, Final

import numpy as np

from aggregation.training import Catalogue, TrainingTask, invented_catalogue, train

EPSILONS: Final = (1, 2, 4, 8)
SEEDS: Final = (1, 2, 3, 4, 5)
CATALOGUE_SEED: Final = 1
ALGORITHMS: Final[dict[str, dict[str, Any]]] = {
    "DPAM with public features": {"algorithm": "dpam", "rounds": 8, "public_features": True},
    "DPAM": {"algorithm": "dpam", "rounds": 8},
    "DP-SGD": {"algorithm": "dp_sgd", "rounds": 60, "sampling_rate": 0.2},
    "DP-FedAvg": {"algorithm": "dp_fedavg", "rounds": 60, "sampling_rate": 0.2, "local_steps": 3},
    "DP-FTRL, bands": {"algorithm": "dp_ftrl_banded", "rounds": 64, "minimum_separation": 4},
    "DP-FTRL, tree": {"algorithm": "dp_ftrl_tree", "rounds": 64, "minimum_separation": 4},
}


def task_of(epsilon: float, parameters: dict[str, Any]) -> TrainingTask:
    """Return a task on the demonstration's films."""
    return TrainingTask.from_mapping(
        {
            "slug": "films", "title": "Films", "population": 20_000, "delta": 1e-6, "target_epsilon": epsilon,
            "model": {"kind": "factored", "dimension": 16}, "rating_range": [1, 5], "mode": "train_only",
        } | parameters
    )  # fmt: skip


def found(catalogue: Catalogue, task: TrainingTask, seed: int, split: Any, non_private: bool) -> dict[str, Any]:
    """Return the result of a run."""
    features = catalogue.features
    result = train(task, catalogue.ratings, features, seed=seed, split=split, non_private=non_private, most_evaluated=1)
    return result.to_mapping()


def shown(values: list[float]) -> str:
    """Return a mean with its standard error over seeds."""
    error = np.std(values, ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{np.mean(values):.4f} ± {error:.4f}"


def table(catalogue: Catalogue, split: str, metric: str) -> None:
    """Print a table of a metric by algorithm and ε, then the lines that are without privacy."""
    print(f"\n| {metric} | {' | '.join(f'ε = {epsilon:g}' for epsilon in EPSILONS)} | without privacy |")
    print(f"|---|{'---|' * (len(EPSILONS) + 1)}")
    baselines: dict[str, list[float]] = {}
    for name, parameters in ALGORITHMS.items():
        cells = []
        for epsilon in (*EPSILONS, None):
            task = task_of(epsilon or 8, parameters)
            documents = [found(catalogue, task, seed, split, epsilon is None) for seed in SEEDS]
            cells.append(shown([document[metric] for document in documents]))
            for document, baseline in ((each, name) for each in documents[:1] for name in each["baselines"]):
                baselines.setdefault(baseline, []).append(document["baselines"][baseline])
            print(f"{name}, ε = {epsilon}: {cells[-1]}", file=sys.stderr, flush=True)
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    for name, values in baselines.items():
        print(f"| baseline: {name.replace('_', ' ')} | {' | ' * len(EPSILONS)} | {values[0]:.4f} |")


def main() -> None:
    catalogue = invented_catalogue(CATALOGUE_SEED)
    for split, metric in (("ratings", "rmse"), ("users", "recall_at_20")):
        table(catalogue, split, metric)


if __name__ == "__main__":
    main()
