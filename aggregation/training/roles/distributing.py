"""The trusted distributor: it hands out shared parameters, whole or by rows, and keeps nothing of what was asked.

A request and its answer have one length for a task, and both are sealed, since others may carry them.
"""

import os
import threading
from dataclasses import dataclass
from typing import Final

import numpy as np
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ...arrays import Array
from .contribution_bytes import NO_ITEM
from .frames import pack_arrays, require_fields, unpack_arrays
from .refusals import RoleError
from .sealing import Binding, SealingKey, check_header, seal, task_of
from .statement import Statement, code_hash, sign, task_digest
from .work import Catalogue, Work, WorkFor

ROLE: Final = "distributor"
_KEY_BYTES: Final = 32
# Each key encrypts one answer, so that no two messages share key and nonce.
_NONCE: Final = bytes(12)


@dataclass
class _Round:
    key: SealingKey
    binding: Binding
    signed: bytes
    work: Work
    shared: dict[str, Array]


class Distributor:
    """The shared parameters of the current round of any number of tasks."""

    def __init__(self, signing_key: Ed25519PrivateKey, work_for: WorkFor) -> None:
        self._signing_key = signing_key
        self._work_for = work_for
        self._rounds: dict[bytes, _Round] = {}
        self._lock = threading.Lock()

    def open(self, body: bytes) -> bytes:
        """Take a round's shared parameters, and return the signed statement for devices.

        Parameters
        ----------
        body : bytes
            By `pack_arrays`: ``task``, ``catalogue``, ``purpose``, ``round``, ``names``, and an array for each name.
        """
        head, arrays = unpack_arrays(body)
        require_fields(head, {"task": dict, "catalogue": dict, "purpose": str, "round": int, "names": list})
        task, catalogue, purpose, number = (head[name] for name in ("task", "catalogue", "purpose", "round"))
        work = self._work_for(task, Catalogue.from_mapping(catalogue), purpose)
        binding = Binding(ROLE, task_digest(task, catalogue, purpose), number)
        shared = dict(zip(head["names"], arrays, strict=True))
        work.check_shared(shared)
        with self._lock:
            current = self._rounds.get(binding.task)
            if current is not None and current.binding == binding:
                # Its server starts again: devices that have the statement go on.
                current.shared = shared
                return current.signed
            key = SealingKey()
            statement = Statement(ROLE, code_hash(), task, catalogue, purpose, number, {}, key.public.hex())
            opened = _Round(key, binding, sign(statement, self._signing_key), work, shared)
            self._rounds[binding.task] = opened
            return opened.signed

    def rows(self, message: bytes) -> bytes:
        """Answer a sealed request for rows, as `RowRequest` makes it, sealed in turn."""
        opened = self._round_of(task_of(message))
        check_header(message, opened.binding, opened.key.public, request_length(opened.work))
        content = opened.key.open(message, opened.binding)
        items = np.frombuffer(content, "<i4", offset=_KEY_BYTES)
        rows = opened.work.broadcast(opened.shared, items)
        answer = pack_arrays({"names": list(rows)}, rows.values())
        return AESGCM(content[:_KEY_BYTES]).encrypt(_NONCE, answer, opened.binding.header(opened.key.public))

    def _round_of(self, task: bytes) -> _Round:
        with self._lock:
            opened = self._rounds.get(task)
        if opened is None:
            raise RoleError("This task has no open round.")
        return opened


def request_length(work: Work) -> int:
    """Return how many bytes are in a request for rows: the key to its answer, and item numbers."""
    return _KEY_BYTES + 4 * work.most_rows


class RowRequest:
    """A device's request for rows, and the key to its answer.

    Parameters
    ----------
    statement : Statement
        The distributor's, verified.
    items : ndarray of int
        At most as many as a contribution has.
    most : int
        As how many it is padded to.
    """

    def __init__(self, statement: Statement, items: Array, most: int) -> None:
        self._key = os.urandom(_KEY_BYTES)
        self._binding = Binding(ROLE, statement.digest, statement.round)
        self._public = bytes.fromhex(statement.key)
        padded = np.full(most, NO_ITEM, "<i4")
        padded[: len(items)] = items
        self.message = seal(self._key + padded.tobytes(), self._public, self._binding)

    def read(self, answer: bytes) -> dict[str, Array]:
        """Return the rows of an answer, by name of the parameters; those of the padding are of any item.

        Raises a RoleError if the answer is not the distributor's.
        """
        header = self._binding.header(self._public)
        try:
            content = AESGCM(self._key).decrypt(_NONCE, answer, header)
        except InvalidTag:
            raise RoleError("The answer is not the distributor's.") from None
        head, arrays = unpack_arrays(content)
        return dict(zip(head["names"], arrays, strict=True))
