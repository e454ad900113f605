"""Sealing to one of the two trusted processes: hybrid public key encryption, bound to a task and a round.

References
----------
RFC 9180 (HPKE), in its single-shot base mode. The key encapsulation is X25519 together with ML-KEM-768, so that what an
administrator keeps of relayed messages stays closed even when one of the two is broken, as X25519 would be by a large
quantum computer.
"""

import hashlib
import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import (
    AEAD,
    KDF,
    KEM,
    MLKEM768X25519PrivateKey,
    MLKEM768X25519PublicKey,
    Suite,
)

from .refusals import Refusal, Refused

SUITE: Final = Suite(KEM.MLKEM768_X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
_ENCAPSULATED: Final = 1120  # bytes: a ciphertext of ML-KEM-768 and a public key of X25519
_TAG: Final = 16
_MLKEM_PUBLIC: Final = 1184
_HEADER: Final = struct.Struct(">32sI16s")
OVERHEAD: Final = _HEADER.size + _ENCAPSULATED + _TAG
"""Bytes by which a sealed message is longer than what is in it."""


@dataclass(frozen=True)
class Binding:
    """Purpose, task and round of a message. All three are in the key schedule: under others it cannot be opened.

    Attributes
    ----------
    purpose : str
        The role that opens it, and what for.
    task : bytes
        SHA-256 of all parameters of the task.
    round : int
    """

    purpose: str
    task: bytes
    round: int

    def header(self, public: bytes) -> bytes:
        """Return the beginning of a message, in the clear: task, round and key, alike for all devices of a round."""
        return _HEADER.pack(self.task, self.round, hashlib.sha256(public).digest()[:16])

    def info(self, public: bytes) -> bytes:
        return b"ldpsite training 1\0" + self.purpose.encode() + b"\0" + self.header(public)


class SealingKey:
    """A key that exists in this process's memory alone, from one round's beginning to its end."""

    def __init__(self) -> None:
        mlkem, x25519 = MLKEM768PrivateKey.generate(), X25519PrivateKey.generate()
        self._private = MLKEM768X25519PrivateKey(mlkem, x25519)
        self.public = mlkem.public_key().public_bytes_raw() + x25519.public_key().public_bytes_raw()

    def open(self, message: bytes, binding: Binding) -> bytes:
        """Open a message whose header was checked; raise a Refused unless it was sealed to this key and binding."""
        try:
            return SUITE.decrypt(message[_HEADER.size :], self._private, binding.info(self.public))
        except (InvalidTag, ValueError):
            raise Refused(Refusal.UNOPENABLE) from None


def task_of(message: bytes) -> bytes:
    """Return the task that a message says it is for; empty if it is no message."""
    return message[: _HEADER.size - 20] if len(message) >= OVERHEAD else b""


def round_of(message: bytes) -> int:
    """Return the round that a message says it is for, if it has a task."""
    return int(_HEADER.unpack_from(message)[1])


def check_header(message: bytes, binding: Binding, public: bytes, length: int) -> None:
    """Raise a Refused with the reason for which a message cannot be what is expected.

    Parameters
    ----------
    message : bytes
        What was sealed, with its header.
    binding : Binding
        What it has to be for.
    public : bytes
        The key that it has to be sealed to.
    length : int
        Bytes that have to be in it.
    """
    if len(message) != length + OVERHEAD:
        raise Refused(Refusal.LENGTH)
    found = _HEADER.unpack_from(message)
    expected = _HEADER.unpack(binding.header(public))
    for said, right, refusal in zip(found, expected, (Refusal.TASK, Refusal.ROUND, Refusal.KEY), strict=True):
        if said != right:
            raise Refused(refusal)


def seal(content: bytes, public: bytes, binding: Binding) -> bytes:
    """Seal bytes to a public key, as `SealingKey.public` has it; longer by `OVERHEAD`."""
    return binding.header(public) + SUITE.encrypt(content, _public_key(public), binding.info(public))


@lru_cache(maxsize=16)
def _public_key(public: bytes) -> MLKEM768X25519PublicKey:
    """Read a key; in a simulation thousands of devices have the same."""
    return MLKEM768X25519PublicKey(
        MLKEM768PublicKey.from_public_bytes(public[:_MLKEM_PUBLIC]),
        X25519PublicKey.from_public_bytes(public[_MLKEM_PUBLIC:]),
    )
