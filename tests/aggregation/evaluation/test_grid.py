from decimal import Decimal
from typing import Any

import pytest

from aggregation import ParameterError
from aggregation.evaluation import DEFAULTS, blocks, read_grid

pytestmark = pytest.mark.exact

FILES = {"counts.tsv": "tea\t3\ncoffee\t1\n", "bad.tsv": "tea\t3\ncoffee\t-1\n"}
CMS = {"algorithm": "CountMeanSketch", "k": 64, "m": 64}


def test_defaults_are_the_grid_of_the_paper() -> None:
    grid = read_grid({}, FILES.__getitem__)
    assert [each.name for each in grid.inputs] == ["harmonic", "exponential"]
    assert [shape.parameters for shape in grid.shapes] == [
        {"k": k, "m": m} for k in (256, 65535) for m in (32, 1024)
    ]  # fmt: skip
    assert grid.epsilons == tuple(map(Decimal, (1, 2, 4, 8)))
    assert len(grid.cells) == 32


def test_observed_lists_are_scaled_if_the_grid_says_how_many_reports() -> None:
    grid = {"distributions": [{"observed": "counts.tsv"}], "mechanisms": [CMS]}
    assert read_grid(grid, FILES.__getitem__).inputs[0].n == 4
    assert read_grid({**grid, "reports": 1000}, FILES.__getitem__).inputs[0].counts.tolist() == [750, 250]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"R": 5}, "There is no 'R' in a grid"),
        ({"distributions": []}, "distributions must be a list with something in it, not \\[\\]."),
        ({"distributions": ["normal"]}, 'distributions\\[0\\] must be "harmonic"'),
        ({"distributions": ["even", "even"]}, "distributions has 'even' twice"),
        ({"distributions": ["even", {"observed": "bad.tsv"}]}, "bad.tsv: Line 2 has a negative count"),
        ({"elements": 10**12}, "elements: 1,000,000,000,000 are too many; at most 250,000 fit."),
        ({"epsilon": [2.0] * 1001}, "epsilon: a list may have 1,000 values"),
        ({"mechanisms": [{**CMS, "k": list(range(1, 10**6))}]}, "at most 1,000 shapes at one ε each fit"),
        ({"mechanisms": [{**CMS, "k": list(range(1, 601))}], "epsilon": [1, 2]}, "at most 1,000 shapes"),
        ({"elements": 0}, "elements must be a whole number of at least 1, not 0."),
        ({"reports": 1.5}, "reports must be a whole number"),
        ({"repetitions": True}, "repetitions must be a whole number"),
        ({"epsilon": [4, 17]}, "epsilon must be above 0 and at most 16, not 17."),
        ({"epsilon": [4, 4.0]}, "epsilon has 4 twice"),
        ({"family": "other"}, 'family must be "fixed" or "fresh"'),
        ({"mechanisms": [{}]}, 'mechanisms\\[0\\] must be an object with an "algorithm"'),
        ({"mechanisms": [{"algorithm": "SequenceFragmentPuzzle"}]}, "'SequenceFragmentPuzzle' counts nothing"),
        ({"mechanisms": [{"algorithm": "CountMeanSketch", "k": 5}]}, "CountMeanSketch needs m"),
        ({"mechanisms": [CMS, {**CMS, "m": [32, 64]}]}, "mechanisms has .* twice"),
        ({"mechanisms": [{**CMS, "rows": 5}]}, "CountMeanSketch has no 'rows'; it has k, m."),
        ({"mechanisms": [{**CMS, "m": [64, 100]}]}, "m must be a power of two"),
        ({"mechanisms": [{**CMS, "estimator": "best"}]}, "has no estimator 'best'"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        read_grid(change, FILES.__getitem__)


def test_blocks_cover_each_repetition_of_each_cell_once() -> None:
    grid = read_grid({**DEFAULTS, "repetitions": 55, "reports": 1000}, FILES.__getitem__)
    for exact_reports in (False, True):
        own = [block for block in blocks(grid, exact_reports=exact_reports) if block.shape == 1]
        assert [block.epsilon for block in own if block.start == 0] == list(grid.epsilons)
        at_four = [range(block.start, block.stop) for block in own if block.epsilon == 4]
        assert [place for each in at_four for place in each] == list(range(55))
