import pytest
from scipy.stats import t

from aggregation.evaluation import CONFIDENCE, FALSE_ELEMENTS, MEASURES, regression

MATRIX = {
    "sizes": [[5000, 50]],
    "distributions": ["harmonic"],
    "mechanisms": [
        {"algorithm": "CountMeanSketch", "k": 128, "m": 64},
        {"algorithm": "HadamardCountMeanSketch", "k": 64, "m": 64},
    ],
    "epsilon": [4],
    "repetitions": 40,
}


@pytest.mark.statistical
def test_what_is_shown_is_as_wrong_as_is_stated() -> None:
    """False alarm 1e-6 each: false elements and coverage are within the error of 40 repetitions."""
    said: list[str] = []
    rows = regression(MATRIX, 3, said.append)
    assert len(rows) == len(said) == 2
    for row in rows:
        assert (row["n"], row["N"]) == (5000, 100)
        # A Poisson number with this mean gives 40 histograms 14 false elements with a probability below 1e-6.
        assert row["false_elements"]["value"] * 40 < 14 * FALSE_ELEMENTS / 0.05
        # Student's t, for the error is of as many repetitions. Noise is most of the variance here, and normal.
        assert abs(row["coverage"]["value"] - CONFIDENCE) < t.isf(5e-7, 39) * row["coverage"]["error"]
        assert 0 < row["missed"]["value"] < 1
        assert 0 < row["total_variation"]["value"] < 1
    better = [row["missed"]["value"] for row in rows]
    assert better[0] < better[1]


@pytest.mark.exact
def test_a_seed_gives_the_same_matrix() -> None:
    few = {**MATRIX, "repetitions": 2, "sizes": [[300, 10]]}
    one, other = ([{name: row[name] for name in MEASURES[:-1]} for row in regression(few, 5)] for _time in range(2))
    assert one == other
