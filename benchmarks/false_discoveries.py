"""Measure how many of the differences that are called clear are none, near the thresholds and with few reports.

Run ``python -m benchmarks.false_discoveries [repetitions [seed]]``. Reports of both sides are drawn from the same
shares, but for those of two elements in some situations. Read-outs are drawn from their law instead of from reports: it
is exact for every element where no two reports are in the same row (here k = 65536); that elements share a bucket with
probability 1/m is left out.
"""

import math
import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aggregation.estimation import Side, compare
from aggregation.mechanisms import CountMeanSketch, Mechanism, mechanism_for

ELEMENTS = 600
ALPHA = LEVEL = 0.05
_SEED = bytes(range(16)).hex()
CMS, HCMS = "CountMeanSketch", "HadamardCountMeanSketch"


class Situation(NamedTuple):
    """Two fleets: so many nulls of a share, of n₁ and n₂ reports of which s are of both; perhaps real differences."""

    algorithm: str
    epsilon: int
    n1: int
    n2: int
    shared: int
    nulls: int
    share: float
    different: bool = False

    @property
    def mechanism(self) -> Mechanism:
        parameters = {"epsilon": self.epsilon, "k": 65536, "m": 1024, "seed": _SEED}
        return mechanism_for(self.algorithm, parameters)

    def shares(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Shares of all elements, on either side; the rest is spread over those that are no nulls."""
        sides = []
        for moved in ((0.2, 0.02), (0.03, 0.25)):
            side = np.zeros(ELEMENTS)
            side[: self.nulls] = self.share
            if self.different:
                side[self.nulls : self.nulls + 2] = moved
            side[100:] = (1 - side.sum()) / (ELEMENTS - 100)
            sides.append(side)
        return sides[0], sides[1]


def draw_read_outs(
    mechanism: Mechanism, counts: NDArray[np.int64], n: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Read-outs of elements that so many of n reports are about."""
    epsilon, m = (float(mechanism.encoded_parameters()[name]) for name in ("epsilon", "m"))
    if isinstance(mechanism, CountMeanSketch):
        flip = 1 / (math.exp(epsilon / 2) + 1)
        return rng.binomial(counts, 1 - flip) + rng.binomial(n - counts, flip + (1 - 2 * flip) / m)
    mean = math.tanh(epsilon / 2)
    plus = rng.binomial(counts, (1 + mean) / 2) + rng.binomial(n - counts, (1 + mean / m) / 2)
    return 2 * plus - n


def pairs(
    situation: Situation, mechanism: Mechanism, repetitions: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Read-outs of the first side, of the second, and of what is shared, which has the shares of the first."""
    first, second = situation.shares()
    s = situation.shared
    common, own1, own2 = (
        draw_read_outs(mechanism, rng.multinomial(n, shares, repetitions), n, rng)
        for shares, n in ((first, s), (first, situation.n1 - s), (second, situation.n2 - s))
    )
    return own1 + common, own2 + common, common


class Found(NamedTuple):
    """Rates of every repetition: the part of clear findings that is none. In all: how many of each kind."""

    false_part: NDArray[np.float64]
    false_hidden: int
    false_all: int
    listed_nulls: int
    true_ones: int


def discover(situation: Situation, repetitions: int, seed: int = 0) -> Found:
    rng, mechanism = np.random.default_rng(seed), situation.mechanism
    first, second = situation.shares()
    null = first == second
    parts, hidden, wrong, listed, right = [], 0, 0, 0, 0
    for one, other, common in zip(*pairs(situation, mechanism, repetitions, rng), strict=True):
        shared = Side(common, situation.shared) if situation.shared else None
        sides = Side(one, situation.n1), Side(other, situation.n2)
        found = compare(mechanism.debiased, *sides, alpha=ALPHA, fdr=LEVEL, shared=shared)
        called = found.significant
        parts.append((called & null).sum() / max(called.sum(), 1))
        hidden += int((called & null & np.isnan(found.difference)).sum())
        wrong += int((called & null).sum())
        listed += int((found.listed & null).sum())
        right += int((called & ~null).sum())
    return Found(np.array(parts), hidden, wrong, listed, right)


def situations() -> list[Situation]:
    shapes: list[tuple[str, int, int, int, int, int, tuple[float, ...]]] = [
        (CMS, 8, 300, 300, 0, 20, (0.03, 0.05)),
        (CMS, 8, 1000, 1000, 0, 30, (0.016, 0.03)),
        (CMS, 8, 2000, 2000, 0, 20, (0.014, 0.03, 0.045)),
        (CMS, 8, 500, 10_000, 0, 30, (0.012, 0.03)),
        (CMS, 8, 1000, 1000, 500, 30, (0.016, 0.03)),
        (CMS, 4, 4000, 4000, 0, 20, (0.018, 0.027, 0.035)),
        (CMS, 4, 2000, 40_000, 0, 20, (0.018, 0.03)),
        (HCMS, 8, 1000, 1000, 0, 5, (0.12, 0.17)),
        (HCMS, 8, 1000, 20_000, 0, 5, (0.08, 0.14)),
        (HCMS, 4, 4000, 8000, 2000, 10, (0.05, 0.08)),
    ]
    found = [Situation(*shape[:6], share) for shape in shapes for share in shape[6]]
    with_room = [each for each in found if each.nulls * each.share < 0.7 and each.share > 0.02]
    return found + [each._replace(different=True) for each in with_room]


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for situation in situations():
        found = discover(situation, repetitions, seed)
        spread = found.false_part.std(ddof=1) / math.sqrt(repetitions)
        print(
            f"{situation.algorithm} ε={situation.epsilon} n={situation.n1:,} and {situation.n2:,}"
            f" (shared {situation.shared}), {situation.nulls} nulls of {situation.share:.1%}"
            f"{', 2 different' if situation.different else ''}: false {found.false_part.mean():.2%} ± {spread:.2%};"
            f" nulls listed {found.listed_nulls / repetitions:.1f}, called clear {found.false_all},"
            f" of them with a side below T {found.false_hidden}; true ones {found.true_ones / repetitions:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
