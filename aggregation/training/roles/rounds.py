"""The server's side of a round: it opens, carries what is sealed, and takes what is released; it can open nothing."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from ...arrays import Array
from ..algorithms import Release
from .distributing import request_length
from .doors import Asked
from .frames import pack, pack_arrays, unpack_arrays
from .sealing import OVERHEAD
from .statement import task_digest
from .work import Catalogue, Work

_AT_ONCE: Final = 256
"""Contributions that are relayed in one request."""


@dataclass(frozen=True)
class Statements:
    """Statements that devices are handed in a round."""

    aggregator: bytes
    distributor: bytes


@dataclass(frozen=True)
class Released:
    """Release of a round.

    Attributes
    ----------
    releases : list of Release
    refused : dict of str to int
        How many messages were not counted, by reason.
    """

    releases: list[Release]
    refused: dict[str, int]


def relay(aggregator: Asked, messages: Iterable[bytes]) -> Counter[str]:
    """Carry sealed contributions to whatever rounds they are for; return those that were visibly refused, by reason."""
    refused: Counter[str] = Counter()
    remaining = iter(messages)
    while batch := list(islice(remaining, _AT_ONCE)):
        refused += Counter(json.loads(aggregator.ask("/add", pack(batch)))["refused"])
    return refused


@dataclass(frozen=True)
class MessageLengths:
    """Bytes of the sealed messages of all devices in a round."""

    contribution: int
    request: int

    @classmethod
    def of(cls, work: Work) -> "MessageLengths":
        return cls(work.layout.length + OVERHEAD, request_length(work) + OVERHEAD)


class Rounds:
    """The rounds of one task, with one purpose.

    Parameters
    ----------
    aggregator, distributor : Asked
    task : dict
        All its parameters.
    catalogue : Catalogue
    purpose : str
        ``"train"`` or ``"evaluate"``.
    """

    def __init__(
        self,
        aggregator: Asked,
        distributor: Asked,
        task: Mapping[str, Any],
        catalogue: Catalogue,
        purpose: str = "train",
    ) -> None:
        self._aggregator = aggregator
        self._distributor = distributor
        self._asked = {"task": dict(task), "catalogue": catalogue.to_mapping(), "purpose": purpose}
        self._digest = task_digest(task, catalogue.to_mapping(), purpose)

    def open(self, number: int, shared: Mapping[str, Array]) -> Statements:
        """Open a round with its shared parameters, or again one that is open.

        Raises a RoundLost if it was opened before and is not open any more.
        """
        asked = self._asked | {"round": number}
        return Statements(
            self._aggregator.ask("/open", json.dumps(asked).encode()),
            self._distributor.ask("/open", pack_arrays(asked | {"names": list(shared)}, shared.values())),
        )

    def ask_rows(self, message: bytes) -> bytes:
        """Carry a device's sealed request to the distributor, and the sealed answer back."""
        return self._distributor.ask("/rows", message)

    def relay(self, messages: Iterable[bytes]) -> Counter[str]:
        """Carry sealed contributions; return those refused for what is to be seen from outside, by reason."""
        return relay(self._aggregator, messages)

    def release(self, number: int) -> Released:
        """Take a round's noisy sums. Asked again, they are the same until another round is opened.

        Raises
        ------
        BelowGoal
            If too few contributions have come. It stays open.
        RoundLost
            If the round is not open, as after a crash of the aggregator.
        """
        answer = self._aggregator.ask("/release", json.dumps({"task": self._digest.hex(), "round": number}).encode())
        head, arrays = unpack_arrays(answer)
        releases = [Release(**said, array=array) for said, array in zip(head["releases"], arrays, strict=True)]
        return Released(releases, head["refused"])
