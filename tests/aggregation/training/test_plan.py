"""Costs of tasks: by the accountant, and as figures that were published."""

import math
from collections import Counter

import dp_accounting
import pytest
from dp_accounting.pld import PLDAccountant

from aggregation.training import InvalidTask, plan_training, rounded_up
from aggregation.training.accounting import gaussian_epsilon, sampled_epsilon
from aggregation.training.algorithms.banded import bands_of, squared_sensitivity

from .conftest import task_of

pytestmark = pytest.mark.exact


def test_published_figures() -> None:
    assert round(sampled_epsilon(1.03, 0.01, 1000, 1e-6), 2) == 2.00
    assert round(gaussian_epsilon(4 / math.sqrt(8), 1e-6), 2) == 3.31
    # The tree over 128 rounds of which that is the cost.
    tree = task_of(algorithm="dp_ftrl_tree", rounds=128, minimum_separation=128, noise_multiplier=4, delta=1e-6)
    assert round(plan_training(tree).epsilon, 2) == 3.31


def composed(sigmas: list[float], delta: float) -> float:
    accountant = PLDAccountant()
    for sigma, count in Counter(sigmas).items():
        accountant.compose(dp_accounting.GaussianDpEvent(sigma), count)
    return float(accountant.get_epsilon(delta))


@pytest.mark.parametrize("rounds", [1, 3, 6])
def test_epsilon_of_dpam_is_that_of_its_releases(rounds: int) -> None:
    plan = plan_training(task_of(rounds=rounds))
    assert 3.999 < plan.epsilon <= 4
    assert composed([each.noise_multiplier for each in plan.releases], 1e-5) == pytest.approx(plan.epsilon, abs=2e-3)
    of_kinds = [noise for noise in plan.noise_multipliers.values() for _ in range(rounds)]
    assert math.fsum(z**-2 for z in of_kinds) == pytest.approx(
        math.fsum(each.noise_multiplier**-2 for each in plan.releases)
    )
    spent = [plan.epsilon_after(number) for number in range(rounds + 1)]
    assert spent[0] == 0
    assert spent == sorted(spent)
    assert spent[-1] == plan.epsilon


def test_epsilon_of_samples_is_the_accountants() -> None:
    task = task_of(algorithm="dp_sgd")
    plan = plan_training(task)
    event = dp_accounting.PoissonSampledDpEvent(0.05, dp_accounting.GaussianDpEvent(plan.noise_multipliers["gradient"]))
    accountant = PLDAccountant()
    accountant.compose(event, 3)
    assert plan.epsilon == accountant.get_epsilon(1e-5)
    assert 3.99 < plan.epsilon <= 4
    unsampled = composed([plan.noise_multipliers["gradient"]] * 3, 1e-5)
    assert plan.unamplified_epsilon == pytest.approx(unsampled, abs=2e-3)
    assert plan_training(task_of()).unamplified_epsilon is None
    spent = [plan.epsilon_after(number) for number in range(1, 4)]
    assert spent == sorted(spent)
    assert spent[-1] == plan.epsilon
    accountant = PLDAccountant()
    accountant.compose(event, 2)
    assert accountant.get_epsilon(1e-5) <= spent[1] < accountant.get_epsilon(1e-5) + 0.01


@pytest.mark.parametrize(("rounds", "separation", "nodes"), [(16, 16, 5), (20, 8, 4 + 4 + 3), (3, 5, 2), (6, 1, 6)])
def test_epsilon_of_trees_is_that_of_the_nodes_that_a_person_is_in(rounds: int, separation: int, nodes: int) -> None:
    plan = plan_training(task_of(algorithm="dp_ftrl_tree", rounds=rounds, minimum_separation=separation))
    z = plan.noise_multipliers["gradient"]
    assert composed([z] * nodes, 1e-5) == pytest.approx(plan.epsilon, abs=2e-3)
    assert 3.99 < plan.epsilon <= 4


@pytest.mark.parametrize(("rounds", "separation"), [(16, 16), (20, 8), (3, 5), (6, 1)])
def test_epsilon_of_bands_is_that_of_one_release_of_a_persons_columns(rounds: int, separation: int) -> None:
    task = task_of(algorithm="dp_ftrl_banded", rounds=rounds, minimum_separation=separation)
    plan = plan_training(task)
    columns = squared_sensitivity(bands_of(task), min(separation, rounds), rounds)
    z = plan.noise_multipliers["gradient"] / math.sqrt(columns)
    assert composed([z], 1e-5) == pytest.approx(plan.epsilon, abs=2e-3)
    assert 3.99 < plan.epsilon <= 4
    spent = [plan.epsilon_after(number) for number in range(1, rounds + 1)]
    assert spent == sorted(spent)


def test_task_that_costs_more_than_its_target_is_refused_with_the_figure() -> None:
    costly = task_of(noise_multiplier=3.0)
    with pytest.raises(InvalidTask, match=r"ε = 4\.\d+ at δ = 1e-05, more than its target of 4"):
        plan_training(costly)
    assert plan_training(task_of(noise_multiplier=30.0)).epsilon < 1


@pytest.mark.parametrize("epsilon", [3.9999999999997886, 0.1, 1 / 3, 2.0000001, 7.25, 1e-9])
def test_epsilon_is_printed_with_six_decimals_and_never_below_what_it_is(epsilon: float) -> None:
    printed = rounded_up(epsilon)
    assert epsilon <= printed <= epsilon + 1e-6
    assert float(f"{printed:.6f}") == printed
