"""Properties of simulated devices beside errors, and a model as a device takes it."""

import numpy as np
import pytest

from aggregation.training import TrainingTask, device_model, foretold_on_device, invented_catalogue, train
from aggregation.training.evaluation import rmse, rmse_error

pytestmark = pytest.mark.exact

TASK = {
    "slug": "films", "title": "Films", "population": 200, "model": {"kind": "factored", "dimension": 3},
    "algorithm": "dpam", "rounds": 2, "target_epsilon": 4, "delta": 1e-4, "rating_range": [1, 5],
}  # fmt: skip


@pytest.mark.parametrize("algorithm", ["dpam", "dp_fedavg"])
def test_tight_bounds_clip_everybody_and_loose_ones_nobody(algorithm: str) -> None:
    catalogue = invented_catalogue(1, films=40, people=200)
    shares = []
    for clip_norm in (1e-3, 1e3):
        task = TrainingTask.from_mapping(
            {**TASK, "algorithm": algorithm, "clip_norm": clip_norm, "noise_multiplier": 20}
        )
        shares.append(train(task, catalogue.ratings, seed=1).rounds[-1].clipped)
    assert shares == [1.0, 0.0]


@pytest.mark.statistical
def test_the_standard_error_of_rmse_is_its_spread_over_people() -> None:
    """Within a fifth of the spread over 400 samples, which itself is off by 3.5 %: a false alarm once in 10⁸."""
    rng = np.random.default_rng(3)
    found, errors = [], []
    hidden = invented_catalogue(1, films=40, people=200).ratings
    for _ in range(400):
        # Ratings of one person err alike.
        wrong = rng.normal(size=200)[hidden.users] + rng.normal(size=len(hidden))
        foretold = hidden.values + wrong
        wide = (-100.0, 100.0)
        found.append(rmse(lambda _users, _items, foretold=foretold: foretold, hidden, wide))  # type: ignore[misc]
        errors.append(rmse_error(foretold, hidden, wide))
    assert np.mean(np.array(errors, float)) == pytest.approx(np.std(np.array(found, float)), rel=0.2)


@pytest.mark.parametrize("implicit", [None, 0.1])
def test_one_device_solves_what_its_model_says(implicit: float | None) -> None:
    task = TrainingTask.from_mapping({**TASK, "implicit_weight": implicit})
    rng = np.random.default_rng(2)
    items = rng.normal(size=(30, 4))
    known = {3: 5.0, 7: 1.0, 20: 4.0} if implicit is None else {3: 1.0, 7: 1.0}
    model = device_model(task, items)
    marked = np.array([*known])
    columns = np.concatenate([np.ones((30, 1)), items[:, 1:]], axis=1)[:, implicit is not None :]
    left = columns[marked].T @ columns[marked] + np.diag(model.ridge[implicit is not None :])
    targets = np.array([*known.values()]) - model.middle - model.constant * items[marked, 0]
    right = columns[marked].T @ targets
    if implicit is not None:
        left += model.implicit_weight * model.gramian[1:, 1:]
        right -= model.implicit_weight * model.constant * model.gramian[1:, 0]
    expected = model.middle + model.constant * items[:, 0] + columns @ np.linalg.solve(left, right)
    np.testing.assert_allclose(foretold_on_device(task, items, known), expected, rtol=1e-9)
