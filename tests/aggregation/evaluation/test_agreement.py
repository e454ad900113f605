"""Measurements agree with the closed forms, and findings depend on the grid and the seed alone."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from aggregation import CountMeanSketch, HadamardCountMeanSketch, LocalHashing, Mechanism, register
from aggregation.evaluation import Block, blocks, do_block, evaluation_document, read_grid
from aggregation.evaluation.expected import conditional, hits
from aggregation.mechanisms import MECHANISMS
from tests.aggregation.helpers import Z_MILLIONTH
from tests.aggregation.toy import LetterBallot

GRID: dict[str, Any] = {
    "distributions": ["harmonic", "exponential"],
    "elements": 100,
    "reports": 3000,
    "mechanisms": [
        {"algorithm": "CountMeanSketch", "k": [64, 1001], "m": 32},
        {"algorithm": "HadamardCountMeanSketch", "k": 64, "m": 64},
        {"algorithm": "LocalHashing", "k": 64, "g": 21},
    ],
    "epsilon": [3],
    "repetitions": 200,
}


def evaluate(change: dict[str, Any], seed: int = 1, *, exact_reports: bool = False) -> dict[str, Any]:
    grid = read_grid({**GRID, **change}, "tea,9000\nmilk,0\ncoffee,999\n".format)
    found = {
        block: do_block(grid, block, seed, exact_reports=exact_reports)
        for block in blocks(grid, exact_reports=exact_reports)
    }
    return evaluation_document(grid, seed, found)


@pytest.mark.statistical
@pytest.mark.parametrize("family", ["fixed", "fresh"])
def test_squared_errors_are_as_the_formulas_expect(family: str) -> None:
    """False alarm about 1e-6 for each of 8 cells: the mean of 200 repetitions, over 20 elements, is nearly normal."""
    document = evaluate({"family": family})
    assert len(document["cells"]) == 8
    for cell in document["cells"]:
        far = cell["mean_mse"] - cell["expected_mean_mse"]
        assert abs(far) < Z_MILLIONTH * cell["mean_mse_error"], cell
        assert cell["mean_mse_error"] < 0.1 * cell["mean_mse"]


@pytest.mark.statistical
def test_a_fixed_family_keeps_the_bias_that_fresh_ones_average_out() -> None:
    """The chance that it is otherwise is below 1e-6: biases are ten times the error of a mean of 200."""
    change = {"mechanisms": [{"algorithm": "CountMeanSketch", "k": 16, "m": 32}], "distributions": ["exponential"]}
    (fixed,), (fresh,) = (evaluate({**change, "family": each, "epsilon": [8]})["cells"] for each in ("fixed", "fresh"))
    assert fixed["mean_delta_e"] > 3 * fresh["mean_delta_e"]


@pytest.mark.statistical
@pytest.mark.parametrize("sketch", [CountMeanSketch, HadamardCountMeanSketch, LocalHashing])
def test_conditional_errors_average_to_the_stated_variance(sketch: type[CountMeanSketch]) -> None:
    """Mean over 300 families, nearly normal; false alarm about 1e-6 for each of two elements. The seeds are fixed."""
    elements, counts, top = [f"w{i}" for i in range(30)], np.arange(30) * 10, np.array([29, 28])
    found = []
    for seed in range(300):
        mechanism = sketch(3, 8, 16, seed=seed)
        points = mechanism.points(elements)
        hit = hits(mechanism, points, top)
        assert hit is not None
        found.append(conditional(mechanism, hit, counts, top))
    stated = mechanism.debiased.variance(counts[top] * 1.0, int(counts.sum()), float(counts @ counts))
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - stated) < Z_MILLIONTH * error).all()


@pytest.mark.exact
@pytest.mark.parametrize("exact_reports", [False, True])
def test_results_depend_on_grid_and_seed_alone(exact_reports: bool) -> None:
    small = {"repetitions": 6, "reports": 500, "elements": 30, "epsilon": [4], "top": 3, "distributions": ["harmonic"]}
    grid = read_grid({**GRID, **small}, str)
    whole = Block(0, grid.epsilons[0], 0, 6)
    alone = do_block(grid, whole, 5, exact_reports=exact_reports)
    cut = [
        do_block(grid, Block(0, grid.epsilons[0], *part), 5, exact_reports=exact_reports) for part in ((0, 1), (1, 6))
    ]
    assert np.array_equal(np.concatenate([each.found for each in cut], axis=1), alone.found)
    larger = {**small, "distributions": ["even", "harmonic"], "epsilon": [2, 4]}
    one, other = (evaluate(each, 5, exact_reports=exact_reports)["cells"] for each in (small, larger))
    again = [cell for cell in other if (cell["distribution"], cell["epsilon"]) == ("harmonic", 4)]
    assert [without_time(cell) for cell in again] == [without_time(cell) for cell in one]
    assert without_time(evaluate(small, 6)["cells"][0]) != without_time(one[0])


def without_time(cell: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in cell.items() if name != "seconds"}


@pytest.mark.exact
def test_the_document_says_what_it_is_of() -> None:
    change = {"distributions": [{"observed": "x"}], "repetitions": 2, "top": 3, "epsilon": 4, "reports": 9999}
    mechanisms = [{"algorithm": "CountMeanSketch", "k": 65535, "m": 8, "estimator": ["debiased", "consistent"]}]
    document = json.loads(json.dumps(evaluate({**change, "mechanisms": mechanisms})))
    assert set(document) == {"input", "family", "R", "seed", "cells"}
    assert {name: document["input"][name] for name in ("name", "n", "N")} == {"name": "x", "n": 9999, "N": 3}
    plain, consistent = document["cells"]
    assert (plain["distribution"], plain["input"]) == ("observed", "x")
    assert (plain["mechanism"], plain["parameters"], plain["epsilon"]) == ("CountMeanSketch", {"k": 65535, "m": 8}, 4)
    assert consistent["parameters"] == {"k": 65535, "m": 8, "estimator": "consistent"}
    assert consistent["expected_mean_mse"] is None
    assert [(row["rank"], row["element"], row["count"]) for row in plain["top"]] == [
        (1, "tea", 9000), (2, "coffee", 999), (3, "milk", 0)
    ]  # fmt: skip
    assert plain["top"][2]["delta_e"] is None
    assert plain["first_rank_over_line"] is None


@pytest.mark.exact
def test_cells_with_missing_repetitions_are_left_out() -> None:
    grid = read_grid({**GRID, "repetitions": 5, "reports": 100}, str)
    first, *_ = blocks(grid)
    assert len(evaluation_document(grid, 1, {first: do_block(grid, first, 1)})["cells"]) == 2
    assert evaluation_document(grid, 1, {})["cells"] == []


@pytest.fixture
def ballot() -> Iterator[type[Mechanism]]:
    register(LetterBallot)
    yield LetterBallot
    del MECHANISMS["LetterBallot"]


@pytest.mark.statistical
def test_a_mechanism_from_outside_is_evaluated(ballot: type[Mechanism]) -> None:
    """It has neither hash functions nor a way to draw; false alarm about 1e-6."""
    mechanisms = [{"algorithm": ballot.algorithm, "letters": "abcdefgh"}]
    grid = read_grid(
        {"distributions": [{"observed": "l"}], "mechanisms": mechanisms, "epsilon": [2], "repetitions": 100},
        lambda _: "a,500\nb,300\nh,0\n",
    )
    (cell,) = evaluation_document(grid, 1, {block: do_block(grid, block, 1) for block in blocks(grid)})["cells"]
    assert abs(cell["mean_mse"] - cell["expected_mean_mse"]) < Z_MILLIONTH * cell["mean_mse_error"]
