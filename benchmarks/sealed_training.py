"""Cost of roles and sealing in training: beside the same linear algebra, and beside bare HPKE on as many bytes.

Run ``python -m benchmarks.sealed_training`` for these figures alone.
"""

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from aggregation.training import Examples, Noise, Shape, TrainingTask, algorithm_for, broadcast_of
from aggregation.training.roles import (
    Aggregator,
    Catalogue,
    Configuration,
    Device,
    Distributor,
    OpenedRounds,
    Rounds,
    code_hash,
)
from aggregation.training.roles.device_file import InMemory
from aggregation.training.roles.frames import pack
from aggregation.training.roles.sealing import Binding, SealingKey, seal
from aggregation.training.roles.training_work import TrainingWork
from benchmarks.measuring import Row, best_time, row

ITEMS: Final = 2_000
RATINGS: Final = 50
AT_ONCE: Final = 250
SETS: Final = 8
TASK: Final = {
    "slug": "films",
    "title": "Films",
    "population": 20_000,
    "model": {"kind": "factored", "dimension": 32},
    "algorithm": "dpam",
    "rounds": 5,
    "target_epsilon": 4,
    "delta": 1e-6,
    "report_goal": SETS * AT_ONCE,
    "rating_range": [1, 5],
}


class Direct:
    """A role in this process, which is what one core of it can do."""

    def __init__(self, answers: dict[str, Callable[[bytes], bytes]]) -> None:
        self.answers = answers

    def ask(self, path: str, body: bytes = b"") -> bytes:
        return self.answers[path](body)


@cache
def films() -> TrainingWork:
    return TrainingWork(TrainingTask.from_mapping(TASK), Catalogue(ITEMS), Noise())


def work_for(task: Any, catalogue: Catalogue, purpose: str) -> TrainingWork:
    return films()


def person(rng: np.random.Generator) -> Examples:
    items = np.sort(rng.choice(ITEMS, RATINGS, replace=False)).astype(np.int32)
    return Examples(items, rng.integers(1, 6, RATINGS).astype(np.float32))


def steps() -> Iterator[Row]:
    """Yield both halves together, and the aggregator's."""
    task, rng = TrainingTask.from_mapping(TASK), np.random.default_rng(1)
    algorithm, catalogue = algorithm_for(task), Catalogue(ITEMS)
    keys = [Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()]
    with tempfile.TemporaryDirectory() as folder:
        aggregator = Aggregator(keys[0], OpenedRounds(Path(folder) / "opened-rounds"), work_for)
        distributor = Distributor(keys[1], work_for)
        rounds = Rounds(
            Direct({"/open": aggregator.open}), Direct({"/open": distributor.open}), task.to_mapping(), catalogue
        )
        initial = algorithm.initial(task, Shape(ITEMS), rng)
        statements = rounds.open(1, {name: initial[name] for name in (*algorithm.rows, *algorithm.whole)})
        own = [key.public_key().public_bytes_raw().hex() for key in keys]
        configuration = Configuration(own[0], own[1], code_hash(), task.to_mapping(), catalogue.to_mapping())
        people = [person(rng) for _ in range(SETS * AT_ONCE)]
        devices = [
            Device(configuration, InMemory(), examples, work_for, takes_part=lambda *_: True) for examples in people
        ]
        waiting = iter(devices)
        messages: list[bytes] = []

        def contribute() -> None:
            for _ in range(AT_ONCE):
                device = next(waiting)
                messages.append(device.take_part(statements.aggregator, statements.distributor, distributor.rows))

        of_devices = best_time(contribute, SETS)
        bodies = iter([pack(messages[start : start + AT_ONCE]) for start in range(0, len(messages), AT_ONCE)])
        of_aggregator = best_time(lambda: aggregator.add(next(bodies)), SETS)
    shared, shape = dict(initial), Shape(ITEMS)
    sums = algorithm.sums(task, shape)

    def plain() -> None:
        for examples in people[:AT_ONCE]:
            made = algorithm.contribution(task, broadcast_of(algorithm, shared, examples.items), examples)
            algorithm.add(task, sums, algorithm.clip(task, shape, made))

    yield row(
        f"{AT_ONCE} contributions, sealed and added, d = 32",
        of_devices + of_aggregator,
        None,
        "",
        "the same linear algebra without roles",
        best_time(plain, SETS),
        reports=AT_ONCE,
    )
    opening = bare(work_for(TASK, catalogue, "train").layout.length)
    yield row(
        f"{AT_ONCE} sealed contributions in the aggregator",
        of_aggregator,
        None,
        f"≤ {AT_ONCE / 500:.2f} s (500/s)",
        "opening as many bytes (HPKE)",
        opening,
        reports=AT_ONCE,
    )


def bare(length: int) -> float:
    """Return the seconds that opening takes alone."""
    key, binding, content = SealingKey(), Binding("aggregator", bytes(32), 1), bytes(length)
    sealed = [seal(content, key.public, binding) for _ in range(AT_ONCE)]
    return best_time(lambda: [key.open(message, binding) for message in sealed])


if __name__ == "__main__":
    for figures in steps():
        print(
            f"{figures['step']}: {figures['reports_per_second']:,.0f} a second,"
            f" ×{figures['ratio']:.1f} of {figures['floor']}"
        )
