"""A round with simulated devices, in this process."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from aggregation.training import Examples
from aggregation.training.roles import (
    ROLES,
    Aggregator,
    Catalogue,
    Configuration,
    Device,
    Distributor,
    OpenedRounds,
    Rounds,
    Statements,
    TrustedProcesses,
    code_hash,
)
from aggregation.training.roles.device_file import InMemory
from tests.aggregation.training.roles.tiny import CATALOGUE, TASK, TinyWork

SHARED = {"weights": np.arange(2.0 * CATALOGUE.items).reshape(-1, 2) / 100}


def examples_of(number: int) -> Examples:
    """Return examples of one to four items."""
    count = 1 + number % 4
    items = np.sort((number + 7 * np.arange(count)) % CATALOGUE.items)
    return Examples(items.astype(np.int32), np.linspace(-0.2, 0.1, count, dtype=np.float32))


class Direct:
    """A role that is asked without a process between."""

    address = "direct"

    def __init__(self, answers: dict[str, Callable[[bytes], bytes]]) -> None:
        self.answers = answers

    def ask(self, path: str, body: bytes = b"") -> bytes:
        return self.answers[path](body)


class Bench:
    """Both trusted roles and any number of devices.

    Parameters
    ----------
    folder : Path
        Where opened rounds are kept.
    """

    def __init__(self, folder: Path, **changes: Any) -> None:
        self.task = TASK | changes
        self.folder = folder
        self.keys = {role: Ed25519PrivateKey.generate() for role in ("aggregator", "distributor")}
        self.opened = OpenedRounds(folder / "opened-rounds")
        self.start()

    def start(self) -> None:
        """Start both anew: what was in memory is gone."""
        self.opened.close()
        self.opened = OpenedRounds(self.folder / "opened-rounds")
        self.aggregator = Aggregator(self.keys["aggregator"], self.opened, TinyWork)
        self.distributor = Distributor(self.keys["distributor"], TinyWork)
        self.doors = [
            Direct({"/open": self.aggregator.open, "/add": self.aggregator.add, "/release": self.aggregator.release}),
            Direct({"/open": self.distributor.open, "/rows": self.distributor.rows}),
        ]
        self.rounds = self.rounds_of(self.task)

    def rounds_of(self, task: dict[str, Any], catalogue: Catalogue = CATALOGUE) -> Rounds:
        return Rounds(self.doors[0], self.doors[1], task, catalogue)

    def configuration(self, **changes: Any) -> Configuration:
        aggregator, distributor = (key.public_key().public_bytes_raw().hex() for key in self.keys.values())
        return replace(
            Configuration(aggregator, distributor, code_hash(), self.task, CATALOGUE.to_mapping()), **changes
        )

    def device(self, number: int = 0, **changes: Any) -> Device:
        return Device(self.configuration(**changes), InMemory(), examples_of(number), TinyWork)

    def sealed(self, device: Device, statements: Statements) -> bytes:
        return device.take_part(statements.aggregator, statements.distributor, self.distributor.rows)

    def many(self, statements: Statements, count: int) -> Iterator[bytes]:
        return (self.sealed(self.device(number), statements) for number in range(count))


TINY = {role: ["tests.aggregation.training.roles.tiny", role] for role in ROLES}
"""The two processes with the tiny task."""


def configuration_for(processes: TrustedProcesses, task: dict[str, Any] = TASK, **changes: Any) -> Configuration:
    """Return what an owner would have by another way than the server."""
    keys = {role: said["verifying_key"] for role, said in processes.identities().items()}
    return replace(
        Configuration(keys["aggregator"], keys["distributor"], code_hash(), task, CATALOGUE.to_mapping()), **changes
    )
