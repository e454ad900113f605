"""Measure the noise of every mechanism that counts, and compare it with the best known.

`make noise` prints the table of docs/mathematics.md.

Noise is the variance that one report adds to the estimate of an element without any, where hash functions are many.
"""

import math
import os
import sys
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

import django
import numpy as np

EPSILONS: Final = (1, 2, 4, 8)
SIZES: Final = (64, 2623, 50_000)
SEED: Final = 17
# Reports of a population, evenly about half of the elements; the others are measured, so many in all.
_REPORTS: Final = 4000
_REPORTS_OF_ONE: Final = 20
_MEASURED: Final = 20_000
# Populations over one hash family, and rows times elements: so many that collisions add less than one in a hundred.
_TOGETHER: Final = 25
_LOOK_UPS: Final = 2**20
_MOST_ROWS: Final = 1024
_MOST_ELEMENTS: Final = 2623


def best_known(epsilon: float, size: int) -> float:
    """Return the smallest noise of any subset size w: Ye and Barg 2018, of which w = 1 is randomised response.

    No mechanism is known to have less, and for many elements it is that of optimised local hashing, 4e^ε/(e^ε - 1)².
    """
    e = math.exp(epsilon)
    w = np.arange(1, size // 2 + 1)
    p = w * e / (w * e + size - w)
    q = (p * (w - 1) + (1 - p) * w) / (size - 1)
    return float((q * (1 - q) / (p - q) ** 2).min())


def measured(algorithm: str, epsilon: float, size: int) -> float | None:
    """Return the mean squared estimate of elements without reports, per report; None if the mechanism cannot be had."""
    from aggregation.errors import ParameterError
    from aggregation.evaluation.drawing import can_draw, draw, simulate
    from aggregation.mechanisms import MECHANISMS, mechanism_for
    from reports.planning import Question
    from reports.planning.shapes import parameters_of

    kind = MECHANISMS[algorithm]
    question = Question(
        epsilon=Decimal(str(epsilon)), n=10**6, size=size, k=min(_LOOK_UPS // min(size, _MOST_ELEMENTS), _MOST_ROWS)
    )
    # Noise does not depend on other elements where they are no part of the mechanism.
    size = size if kind.needs_dictionary else min(size, _MOST_ELEMENTS)
    elements = [f"element {place:05}" for place in range(size)]
    n = min(_REPORTS, _REPORTS_OF_ONE * (size // 2))
    counts = np.zeros(size, np.int64)
    counts[: size // 2] = n // (size // 2)
    counts[: n - int(counts.sum())] += 1
    rng, squares, found = np.random.default_rng([SEED, size, round(100 * epsilon)]), 0.0, 0
    while found < _MEASURED:
        seed = {"seed": rng.bytes(16).hex()} if kind.has_seed else {}
        try:
            given = kind.for_dictionary({**parameters_of(algorithm, question), **seed}, elements)
            mechanism = mechanism_for(algorithm, given).with_dictionary(elements)
        except ParameterError:
            return None
        points = mechanism.points(elements)
        many = min(_TOGETHER, math.ceil(_MEASURED / (size - size // 2)))
        if can_draw(mechanism):
            read_outs = draw(mechanism, points, np.tile(counts, (many, 1)), rng.spawn(many))
        else:
            read_outs = np.stack([simulate(mechanism, elements, points, counts, each) for each in rng.spawn(many)])
        estimates = mechanism.debiased.estimate(read_outs[:, size // 2 :], n)
        squares, found = squares + float(np.square(estimates).sum()), found + estimates.size
    return squares / found / n


def rows(epsilons: Sequence[int] = EPSILONS, sizes: Sequence[int] = SIZES) -> Iterator[list[str]]:
    """Yield the lines of the table: of each mechanism what is measured, and its ratio to the best known."""
    from aggregation.mechanisms import MECHANISMS
    from reports.mechanisms import title_of
    from reports.planning import Question, advice, plans

    counting = [name for name, kind in MECHANISMS.items() if kind.kind == "counting"]
    yield ["ε", "D", "best known", *map(title_of, counting), "recommended"]
    for epsilon in epsilons:
        for size in sizes:
            known = best_known(epsilon, size)
            cells = {name: measured(name, epsilon, size) for name in counting}
            question = Question(epsilon=Decimal(epsilon), n=10**6, size=size)
            best = advice(question, plans(question)).best
            yield [
                f"{epsilon:g}",
                f"{size:,}",
                f"{known:.3g}",
                *("–" if noise is None else f"{noise:.3g} (× {noise / known:.2f})" for noise in cells.values()),
                "–" if best is None else f"{title_of(best.algorithm)} (× {best.noise / known:.2f})",
            ]


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ldpsite.settings")
    django.setup()
    written: list[Any] = []
    for row in rows():
        written.append(row)
        print(f"| {' | '.join(row)} |" + ("\n" + "|---" * len(row) + "|" if len(written) == 1 else ""))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
