"""Both trusted roles without processes, and devices that take part by way of the site's own addresses."""

import base64
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.test import Client
from pytest_django import Settings

from aggregation import training
from aggregation.training import Examples
from aggregation.training.roles import (
    Aggregator,
    Catalogue,
    Configuration,
    Device,
    Distributor,
    OpenedRounds,
    code_hash,
    task_digest,
    verified,
)
from aggregation.training.roles.device_file import InMemory
from aggregation.training.roles.distributing import RowRequest
from aggregation.training.roles.sealing import Binding, seal
from reports.models import TrainingRun
from reports.training import device_configuration, relaying, trusted_processes
from tests.aggregation.training.roles.noiseless import work_for
from tests.reports.trained import PEOPLE, device_data

RATINGS: Final = device_data().ratings
ADDRESSES: Final = {"aggregator": "unix:/aggregator", "distributor": "unix:/distributor"}


class Trusted:
    """Aggregator and distributor, without noise, behind the doors that the site's settings name.

    Parameters
    ----------
    folder : Path
        Where opened rounds are kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._keys = {role: Ed25519PrivateKey.generate() for role in ADDRESSES}
        self._opened: OpenedRounds | None = None
        self.are_away = False
        self.start()

    def start(self) -> None:
        """Start both anew: what was in memory is gone."""
        if self._opened is not None:
            self._opened.close()
        self._opened = OpenedRounds(self._folder / "opened-rounds")
        aggregator = Aggregator(self._keys["aggregator"], self._opened, work_for)
        distributor = Distributor(self._keys["distributor"], work_for)
        self._answers: dict[str, dict[str, Callable[[bytes], bytes]]] = {
            "aggregator": {"/open": aggregator.open, "/add": aggregator.add, "/release": aggregator.release},
            "distributor": {"/open": distributor.open, "/rows": distributor.rows},
        }

    def ask(self, role: str, path: str, body: bytes) -> bytes:
        if self.are_away:
            raise ConnectionRefusedError
        if path == "/identity":
            key = self._keys[role].public_key().public_bytes_raw().hex()
            return json.dumps({"verifying_key": key, "code": code_hash()}).encode()
        return self._answers[role][path](body)


class Behind:
    """A door to one of the roles, as it is then."""

    def __init__(self, trusted: Trusted, address: str) -> None:
        self._trusted = trusted
        self._role = address.removeprefix("unix:/")

    def ask(self, path: str, body: bytes = b"") -> bytes:
        return self._trusted.ask(self._role, path, body)


def known_to_the_site(folder: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Trusted:
    """Return both roles, as the site then reaches them."""
    found = Trusted(folder)
    settings.LDPSITE_TRAINING_AGGREGATOR, settings.LDPSITE_TRAINING_DISTRIBUTOR = ADDRESSES.values()
    monkeypatch.setattr(trusted_processes, "Door", lambda address, _patience: Behind(found, address))
    return found


def post(slug: str, what: str, message: bytes, **more: Any) -> Any:
    options = {"content_type": "application/octet-stream", **more}
    return Client().post(f"/api/v1/training-tasks/{slug}/{what}/", message, **options)


def open_rounds(slug: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = Client().get(f"/api/v1/training-tasks/{slug}/open-rounds/").json()["rounds"]
    return found


class Fleet:
    """Devices of the people in `device_data`, who agreed to a run."""

    def __init__(self, run: TrainingRun) -> None:
        self.slug = run.version.task.slug
        self.own = own = Configuration(**device_configuration(run))
        self.devices = [Device(own, InMemory(), self.examples(number), work_for) for number in range(60)]

    @staticmethod
    def examples(number: int) -> Examples:
        part = slice(RATINGS.offsets[number], RATINGS.offsets[number + 1])
        return Examples(RATINGS.items[part].astype(np.int32), RATINGS.values[part])

    def sealed(self, number: int, announced: Mapping[str, Any] | None = None) -> bytes:
        """Return what a device would send in an open round."""
        found = announced or open_rounds(self.slug)[-1]
        said = {role: base64.b64decode(statement) for role, statement in found["statements"].items()}
        return self.devices[number].take_part(
            said["aggregator"], said["distributor"], lambda asked: post(self.slug, "rows", asked).content
        )

    def request(self, announced: Mapping[str, Any]) -> bytes:
        """Return a request for the rows of no item."""
        said = verified(base64.b64decode(announced["statements"]["distributor"]), self.own.distributor)
        work = work_for(said.task, Catalogue.from_mapping(said.catalogue), said.purpose)
        return RowRequest(said, np.empty(0, np.int32), work.most_rows).message

    def send_idle(self, count: int, announced: Mapping[str, Any]) -> None:
        """Send what devices do that sit a round out, without the detour by way of the distributor."""
        said = verified(base64.b64decode(announced["statements"]["aggregator"]), self.own.aggregator)
        digest = task_digest(said.task, said.catalogue, said.purpose)
        layout = work_for(said.task, Catalogue.from_mapping(said.catalogue), said.purpose).layout
        nothing = np.full(layout.items, -1), np.zeros(layout.numbers)
        for _ in range(count):
            content = layout.pack([os.urandom(16) for _ in range(layout.tokens)], *nothing, counts=False)
            message = seal(content, bytes.fromhex(said.key), Binding("aggregator", digest, said.round))
            relaying.relay_contribution(self.slug, message)

    def send(self, numbers: range, announced: Mapping[str, Any] | None = None) -> None:
        for number in numbers:
            answer = post(self.slug, "contributions", self.sealed(number, announced))
            assert (answer.status_code, answer.json()) == (202, {"accepted": 1}), answer.content


def vectorised(run: TrainingRun, shared: training.Shared, people: range) -> training.Shared:
    """Return the model after a round in which some people took part, without roles."""
    task = training.TrainingTask.from_mapping(run.agreed["task"])
    algorithm = training.algorithm_for(task)
    chosen = np.isin(np.arange(PEOPLE), people)
    sums = algorithm.batch(task, shared, RATINGS.of_users(chosen))
    releases = algorithm.releases(task, sums, training.Noise(off=True), 1)
    return algorithm.update(task, shared, releases)
