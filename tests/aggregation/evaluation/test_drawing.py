"""Read-outs that are drawn at once are distributed as those of reports that are made one by one."""

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation import CountMeanSketch, HadamardCountMeanSketch, LocalHashing, Mechanism
from aggregation.encoding import unpack_buckets
from aggregation.evaluation.drawing import can_draw, draw, simulate
from tests.aggregation.helpers import Z_MILLIONTH

pytestmark = pytest.mark.statistical

ELEMENTS = ["tea", "coffee", "milk", "water"]


def read_outs_of_clients(
    sketch: CountMeanSketch | LocalHashing, counts: NDArray[np.int64], populations: int, seed: int
) -> NDArray[np.int64]:
    """Return S(d) of many small populations, whose reports the shipped client makes, all at once."""
    n = int(counts.sum())
    index = np.tile(np.repeat(np.arange(len(counts)), counts), populations)
    records = sketch.privatize_fleet(ELEMENTS, index, np.random.default_rng(seed))["element"]
    buckets = sketch.family.buckets(sketch.points(ELEMENTS), 0, sketch.k, sketch.m)
    if isinstance(sketch, LocalHashing):
        rows, sent = unpack_buckets(records, sketch.g)
        read = buckets[rows] == sent[:, None]
    else:
        bits = np.unpackbits(records["bits"], axis=1)
        read = bits[np.arange(len(bits))[:, None], buckets[records["row"].astype(np.intp)]]
    sums: NDArray[np.int64] = read.astype(np.int64).reshape(populations, n, len(ELEMENTS)).sum(axis=1)
    return sums


def homogeneity(one: NDArray[np.int64], other: NDArray[np.int64], alpha: float = 1e-6) -> tuple[float, float]:
    """Return the two-sample χ² of whole vectors, and the value that it exceeds with probability alpha.

    Vectors that are expected fewer than ten times are counted together. The quantile is Wilson and Hilferty's.
    """
    assert alpha == 1e-6
    _, place = np.unique(np.concatenate([one, other]), axis=0, return_inverse=True)
    table = np.stack([np.bincount(part, minlength=place.max() + 1) for part in np.split(place.ravel(), 2)])
    rare = table.sum(axis=0) < 20
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    expected = np.broadcast_to(table.sum(axis=0) / 2, table.shape)
    freedom = table.shape[1] - 1
    z = 4.7534  # the one-sided normal quantile of 1e-6
    limit = freedom * (1 - 2 / (9 * freedom) + z * np.sqrt(2 / (9 * freedom))) ** 3
    return float(((table - expected) ** 2 / expected).sum()), float(limit)


# Few reports in many rows, whose rows are drawn, and many in few, whose numbers in each row are.
@pytest.mark.parametrize("sketch", [CountMeanSketch, LocalHashing])
@pytest.mark.parametrize(("k", "counts"), [(5, [4, 2, 0, 1]), (2, [5, 3, 0, 1])])
def test_drawn_read_outs_have_the_joint_distribution_of_the_clients(
    k: int, counts: list[int], sketch: type[CountMeanSketch | LocalHashing]
) -> None:
    """Whole vectors of read-outs are compared; false alarm 1e-6 each. A wrong flip probability is found."""
    cms, wrong = sketch(2, k, 8, seed=5), sketch(2.3, k, 8, seed=5)
    truth = np.array(counts)
    populations = 20_000
    by_clients = read_outs_of_clients(cms, truth, populations, seed=1)
    rng = np.random.Generator(np.random.SFC64(2))
    points = cms.points(ELEMENTS)
    drawn = np.concatenate(
        [draw(cms, points, np.tile(truth, (50, 1)), [rng] * 50) for _ in range(populations // 50)]
    )  # fmt: skip
    found, limit = homogeneity(by_clients, drawn)
    assert found < limit
    found, limit = homogeneity(read_outs_of_clients(wrong, truth, populations, seed=3), drawn)
    assert found > limit


# Rows of up to 511 reports, and larger ones.
@pytest.mark.parametrize("n", [5000, 10_000])
@pytest.mark.parametrize("cms", [CountMeanSketch(4, 16, 32, seed=9), LocalHashing(4, 16, 21, seed=9)], ids=type)
def test_both_ways_have_the_same_moments_on_large_populations(n: int, cms: Mechanism) -> None:
    """Means, variances and covariances of S(d); false alarm 1e-6 for each of 28 numbers."""
    counts = np.array([n // 2, n // 4, 0, n // 4])
    points, repetitions = cms.points(ELEMENTS), 300
    rngs = [np.random.Generator(np.random.SFC64(place)) for place in range(repetitions)]
    drawn = draw(cms, points, np.tile(counts, (repetitions, 1)), rngs)
    few = 100
    simulated = np.stack([simulate(cms, ELEMENTS, points, counts, np.random.default_rng(i)) for i in range(few)])
    for one, other in [(drawn, simulated), (products(drawn), products(simulated))]:
        error = np.sqrt(one.var(axis=0, ddof=1) / len(one) + other.var(axis=0, ddof=1) / len(other))
        assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) < Z_MILLIONTH * error).all()


def products(read_outs: NDArray[np.int64]) -> NDArray[np.float64]:
    centred = read_outs - read_outs.mean(axis=0)
    pairs: NDArray[np.float64] = (centred[:, :, None] * centred[:, None, :]).reshape(len(centred), -1)
    return pairs


@pytest.mark.parametrize(
    "mechanism",
    [
        CountMeanSketch(4, 65535, 8, seed=1),
        HadamardCountMeanSketch(4, 7, 8, seed=1),
        LocalHashing(4, 7, 9, seed=1),
    ],
)
def test_any_mechanism_is_simulated(mechanism: Mechanism) -> None:
    """False alarm about 1e-6 for each of four elements."""
    counts = np.array([3000, 0, 500, 500])
    read_out = simulate(mechanism, ELEMENTS, mechanism.points(ELEMENTS), counts, np.random.default_rng(4))
    far = mechanism.debiased.estimate(read_out, 4000) - counts
    assert (np.abs(far) < Z_MILLIONTH * np.sqrt(mechanism.debiased.variance(counts * 1.0, 4000, 9.5e6))).all()
    assert can_draw(mechanism) is (mechanism.algorithm != "HadamardCountMeanSketch")


@pytest.mark.exact
def test_a_population_does_not_depend_on_those_drawn_beside_it() -> None:
    cms = CountMeanSketch(4, 65535, 64, seed=3)
    points, counts = cms.points(ELEMENTS), np.array([[50, 20, 0, 30], [1, 1, 1, 1], [0, 0, 900, 0]])

    def rngs() -> list[np.random.Generator]:
        return [np.random.Generator(np.random.SFC64(place)) for place in range(3)]

    together = draw(cms, points, counts, rngs())
    alone = [draw(cms, points, counts[[place]], [rng])[0] for place, rng in enumerate(rngs())]
    assert together.tolist() == np.stack(alone).tolist()
