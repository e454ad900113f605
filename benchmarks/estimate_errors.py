"""Errors of estimates against the formulas, over whole dictionaries: python -m benchmarks.estimate_errors

Read-outs are drawn by their exact distribution, each repetition over hash functions of its own, from shares by a law of
Zipf. A line for each ε and dictionary: the mean squared error over that of the formula with its standard error, the
coverage of 95 % intervals as production makes them, and elements without reports above the threshold, of those that are
expected. The seed is fixed. A minute or two on one core; --repetitions for more.
"""

import argparse
from collections.abc import Iterator
from typing import Final

import numpy as np

from aggregation import LocalHashing
from aggregation.estimation import summarize
from aggregation.evaluation.drawing import draw
from aggregation.mechanisms.local_hashing.parameters import best_buckets

EPSILONS: Final = (1, 2, 4, 8)
# Elements, reports, rows, repetitions, and how many of the elements are reported; the others are to stay hidden.
DICTIONARIES: Final = (
    (64, 20_000, 1024, 1500, 48),
    (2_623, 100_000, 4096, 60, 2_000),
    (50_000, 500_000, 4096, 6, 30_000),
)
# Few reports at a large ε are where a normal approximation would let through too much.
FEW: Final = (2_623, 1_000, 4096, 400, 20)
ALPHA: Final = 0.2


def measure(epsilon: int, shape: tuple[int, int, int, int, int], rng: np.random.Generator) -> str:
    """Return a line of the table."""
    size, n, k, repetitions, reported = shape
    shares = 1 / np.arange(1, reported + 1)
    counts = np.zeros(size, np.int64)
    counts[:reported] = rng.multinomial(n, shares / shares.sum())
    f2, elements = float(counts @ counts), [f"e{number}" for number in range(size)]
    ratios, covered, false = [], [], 0
    for _ in range(repetitions):
        mechanism = LocalHashing(epsilon, k, best_buckets(epsilon), seed=int(rng.integers(2**62)))
        read_out = draw(mechanism, mechanism.points(elements), counts[None], [rng])[0]
        summary = summarize(mechanism.debiased, read_out, n, ALPHA)
        expected = mechanism.debiased.variance(counts.astype(np.float64), n, f2)
        ratios.append(float(((summary.estimate - counts) ** 2).sum() / expected.sum()))
        covered.append(float(np.mean((summary.lower <= counts) & (counts <= summary.upper))))
        false += int(summary.above[counts == 0].sum())
    error = float(np.std(ratios, ddof=1)) / len(ratios) ** 0.5
    of = ALPHA * repetitions * float(np.mean(counts == 0))
    figures = f"{np.mean(ratios):7.3f} ± {error:.3f}   {100 * np.mean(covered):5.1f} %   {false:4d} of {of:.1f}"
    return f"{epsilon:2d}  {size:7,}  {n:9,}  {k:6,}   {figures}"


def lines(repetitions: float) -> Iterator[str]:
    yield " ε        D          n       k   MSE / formula      coverage   false elements"
    rng = np.random.Generator(np.random.SFC64(17))
    for shape in (*DICTIONARIES, FEW):
        own = (*shape[:3], max(2, round(repetitions * shape[3])), shape[4])
        for epsilon in EPSILONS:
            yield measure(epsilon, own, rng)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=float, default=1.0, help="times as many as usual")
    for line in lines(parser.parse_args().repetitions):
        print(line, flush=True)


if __name__ == "__main__":
    main()
