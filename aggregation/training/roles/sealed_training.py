"""A training run whose every contribution goes the way of a real one: `train(…, contribute=SealedRounds(…))`."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ..algorithms import Algorithm, Examples, Release, Shared, algorithm_for
from ..data import Features, Ratings
from ..parameters import Mode, TrainingTask
from .aggregating import MOST_TAKEN
from .device_file import InMemory
from .processes import TrustedProcesses, started
from .rounds import Rounds
from .statement import code_hash
from .taking_part import EVALUATE, TRAIN, Configuration, Device
from .work import Catalogue
from .works import work_for


class SealedRounds:
    """Rounds of simulated devices, each of which is the very device code with a memory of its own.

    Parameters
    ----------
    processes : TrustedProcesses
        They are asked for their keys, as no real device would do: one has them from its owner.
    features : int
        How many public features the items have.
    """

    def __init__(self, processes: TrustedProcesses, features: int = 0) -> None:
        self._processes = processes
        self._features = features
        self._keys = {role: said["verifying_key"] for role, said in processes.identities().items()}
        self._remembered: dict[tuple[str, int], InMemory] = {}

    def __call__(
        self, algorithm: Algorithm, task: TrainingTask, shared: Shared, ratings: Ratings, number: int
    ) -> Sequence[Release]:
        """Return what the aggregator releases of a round, in which the people who have ratings take part."""
        return self._round(TRAIN, algorithm, task, shared, ratings, number)

    def evaluate(self, task: TrainingTask, shared: Shared, ratings: Ratings, number: int) -> Release:
        """Return the metrics that the aggregator releases of an evaluation by the people who have ratings."""
        (release,) = self._round(EVALUATE, algorithm_for(task), task, shared, ratings, number)
        return release

    def _round(
        self, purpose: str, algorithm: Algorithm, task: TrainingTask, shared: Shared, ratings: Ratings, number: int
    ) -> Sequence[Release]:
        catalogue = Catalogue(len(ratings.item_names), self._features)
        task, senders = _simulated(task, catalogue, purpose, len(ratings.user_names))
        rounds = Rounds(self._processes.aggregator, self._processes.distributor, task.to_mapping(), catalogue, purpose)
        handed_out = {name: shared[name] for name in (*algorithm.rows, *algorithm.whole) if name in shared}
        statements = rounds.open(number, handed_out)
        own = Configuration(
            self._keys["aggregator"], self._keys["distributor"], code_hash(), task.to_mapping(), catalogue.to_mapping()
        )

        work = work_for(task.to_mapping(), catalogue, purpose)

        def sealed(user: int) -> bytes:
            start, end = ratings.offsets[[user, user + 1]] if user < len(ratings.user_names) else (0, 0)
            device = Device(
                own,
                self._remembered.setdefault((purpose, user), InMemory()),
                Examples(ratings.items[start:end], ratings.values[start:end]),
                lambda *_: work,
                takes_part=lambda *_: bool(end > start),
                is_prepared=True,
            )
            return device.take_part(statements.aggregator, statements.distributor, rounds.ask_rows)

        # All send, and what those send who do not take part does not count.
        rounds.relay(map(sealed, range(senders)))
        return rounds.release(number).releases


def _simulated(task: TrainingTask, catalogue: Catalogue, purpose: str, people: int) -> tuple[TrainingTask, int]:
    """Return a task as its simulation has it, and how many devices send: of an evaluation, also those that train.

    All send, where a site ends a round once enough have; so the goal is as high as that a round takes them all. And a
    simulation trains, whatever the task's mode.
    """
    if task.mode is Mode.EVALUATE_ONLY:
        task = replace(task, mode=Mode.TRAIN_AND_EVALUATE)
    share = work_for(task.to_mapping(), catalogue, purpose).counting_share
    senders = math.ceil(people / share) if purpose == EVALUATE else people
    enough = math.ceil(senders * share / (1 + task.over_selection) / MOST_TAKEN)
    return replace(task, report_goal=max(task.report_goal, enough)), senders


@contextmanager
def sealed_rounds(features: Features | None = None) -> Iterator[SealedRounds]:
    """Have both processes for one simulated run, to be given to `train` as `contribute`.

    They are of this run alone: those of a site never do a round twice, and simulations repeat them.
    """
    with TemporaryDirectory(prefix="ldpsite-training-") as folder, started(Path(folder)) as processes:
        yield SealedRounds(processes, len(features.names) if features else 0)
