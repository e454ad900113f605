"""A device's half of a round: it believes its own configuration alone, and takes part no oftener than that says."""

import hashlib
import hmac
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...randomness import device_below, device_shuffle
from ..algorithms import Examples, rows_needed
from . import aggregating, distributing
from .device_file import Remembered
from .distributing import RowRequest
from .refusals import AlreadySeen, RoleError
from .sealing import Binding, seal
from .statement import Statement, task_digest, verified
from .tokens import tokens
from .work import Catalogue, Work, WorkFor
from .works import work_for

_SECRET_BYTES: Final = 32
TRAIN: Final = "train"
EVALUATE: Final = "evaluate"


@dataclass(frozen=True)
class Configuration:
    """Configuration that a device has from its owner, and not from the server that it talks to.

    Attributes
    ----------
    aggregator, distributor : str
        Verifying keys of the two processes, in hexadecimal.
    code : str
        Hash of the source that they have to run.
    task : dict
        All parameters of the task that the owner agreed to.
    catalogue : dict
        How many items and features there are.
    minimum_separation : int
        Least distance of two rounds; the task's if that is larger.
    """

    aggregator: str
    distributor: str
    code: str
    task: dict[str, Any]
    catalogue: dict[str, int]
    minimum_separation: int = 1

    def digest(self, purpose: str) -> bytes:
        """Return what names the task that the owner agreed to, with a purpose."""
        if purpose not in self._digests:
            self._digests[purpose] = task_digest(self.task, self.catalogue, purpose)
        return self._digests[purpose]

    @cached_property
    def _digests(self) -> dict[str, bytes]:
        return {}

    def to_mapping(self) -> dict[str, Any]:
        return asdict(self)


def takes_part(said: Statement, work: Work, secret: bytes) -> bool:
    """Decide whether a device takes part in a round.

    Its secret says once and for all whether it is held out, to evaluate and never to train; else it is drawn with the
    task's sampling rate, by the operating system's generator.
    """
    mark = b"held out" + task_digest(said.task, said.catalogue, "")
    place = int.from_bytes(hmac.digest(secret, mark, hashlib.sha256)[:8], "big")
    is_held_out = place < work.held_out_share * 2**64
    is_drawn = int.from_bytes(os.urandom(8), "big") < work.sampling_rate * 2**64
    return is_drawn and is_held_out == (said.purpose == EVALUATE)


def _known(examples: Examples, items: int) -> Examples:
    """Return the examples of items in the catalogue."""
    kept = (examples.items >= 0) & (examples.items < items)
    return Examples(examples.items[kept], examples.values[kept])


def _some(examples: Examples, most: int) -> Examples:
    """Return as many examples as a person may contribute, chosen by chance."""
    places = list(range(len(examples.items)))
    if len(places) > most:
        device_shuffle(places)
    kept = np.sort(np.array(places[:most], np.int64))
    return Examples(examples.items[kept], examples.values[kept])


def _invented(count: int, items: int) -> Examples:
    """Return as many examples as a device has, of items that it draws: they cost it the time that its own would."""
    drawn: set[int] = set()
    while len(drawn) < count:
        drawn.add(device_below(items))
    return Examples(np.array(sorted(drawn), np.int32), np.zeros(count, np.float32))


class Device:
    """One person's device.

    Parameters
    ----------
    configuration : Configuration
    remembered : Remembered
        Where its secret and its rounds are kept.
    examples : Examples
        What it alone knows.
    work_for : callable
        What a task computes.
    takes_part : callable
        Whether it takes part in a round: where devices are simulated, the simulation decides.
    is_prepared : bool
        Whether the examples are what it contributes by already: where devices are simulated, the simulation draws it.
    """

    def __init__(
        self,
        configuration: Configuration,
        remembered: Remembered,
        examples: Examples,
        work_for: WorkFor = work_for,
        takes_part: Callable[[Statement, Work, bytes], bool] = takes_part,
        *,
        is_prepared: bool = False,
    ) -> None:
        self._configuration = configuration
        self._remembered = remembered
        self._examples = examples
        self._work_for = work_for
        self._takes_part = takes_part
        self._is_prepared = is_prepared

    def take_part(self, aggregator: bytes, distributor: bytes, ask_rows: Callable[[bytes], bytes]) -> bytes:
        """Take part in a round, if it may and is drawn.

        Parameters
        ----------
        aggregator, distributor : bytes
            Their signed statements, by whatever way they came.
        ask_rows : callable
            Carries a sealed request to the distributor, and its answer back.

        Returns
        -------
        bytes
            A sealed contribution, or an invented one that does not count if this device sits the round out: the
            aggregator alone can tell.

        Raises
        ------
        RoleError
            If anything is not as its own configuration says. Nothing has left the device then.
        """
        said = self._trusted(aggregator, self._configuration.aggregator, aggregating.ROLE)
        source = self._trusted(distributor, self._configuration.distributor, distributing.ROLE)
        if (said.round, said.purpose) != (source.round, source.purpose):
            raise RoleError("The two statements are of different rounds.")
        digest = said.digest
        work = self._work_for(said.task, Catalogue.from_mapping(said.catalogue), said.purpose)
        secret, counts = self._enter(digest, said, work)
        own = _known(self._examples, said.catalogue["items"])
        examples = _some(own if self._is_prepared else work.examples(own), work.most_examples)
        if not counts:
            secret, examples = os.urandom(_SECRET_BYTES), _invented(len(examples.items), said.catalogue["items"])
        request = RowRequest(source, rows_needed(examples)[: work.most_rows], work.most_rows)
        rows = request.read(ask_rows(request.message))
        spent = tokens(secret, digest, said.round, work.separation)
        content = work.layout.pack(spent, *work.contribution(rows, examples), counts=counts)
        return seal(content, bytes.fromhex(said.key), Binding(aggregating.ROLE, digest, said.round))

    def _trusted(self, signed: bytes, verifying_key: str, role: str) -> Statement:
        """Return a statement, if it is of the right process with the code and task that this device agreed to."""
        said = verified(signed, verifying_key)
        own = self._configuration
        if said.role != role:
            raise RoleError(f"The statement is of the {said.role}, not of the {role}.")
        if said.code != own.code:
            raise RoleError(f"The {role} runs other code than this device trusts.")
        # As they are hashed: 4 and 4.0 are equal, and would be two tasks, in each of which it would take part.
        if said.digest != own.digest(said.purpose):
            raise RoleError("The task has other parameters than this device agreed to.")
        return said

    def _enter(self, digest: bytes, said: Statement, work: Work) -> tuple[bytes, bool]:
        """Remember a round before anything leaves; return the secret of tokens, and whether the device takes part."""
        number = said.round
        separation = max(work.separation, self._configuration.minimum_separation)
        with self._remembered.changing() as state:
            secret = bytes.fromhex(state.setdefault("secret", os.urandom(_SECRET_BYTES).hex()))
            rounds = state.setdefault("rounds", {}).setdefault(digest.hex(), {"seen": 0, "taken": None})
            if not rounds["seen"] < number <= work.rounds:
                raise AlreadySeen(f"Round {number} is not after round {rounds['seen']}, which this device has seen.")
            rounds["seen"] = number
            taken = rounds["taken"]
            too_early = taken is not None and number - taken < separation
            counts = not too_early and self._takes_part(said, work, secret)
            if counts:
                rounds["taken"] = number
        return secret, counts
