"""Statements of trusted processes, signed with a key whose public half devices have in their own configuration.

Without a trusted execution environment the process measures itself: the hash of the code is as good as the signing key
is kept.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from .refusals import RoleError

_CONTEXT: Final = b"ldpsite training statement 1\0"


@dataclass(frozen=True)
class Statement:
    """One round of one task, as a trusted process will do it.

    Attributes
    ----------
    role : str
        ``"aggregator"`` or ``"distributor"``.
    code : str
        SHA-256 of the source that runs, in hexadecimal.
    task : dict
        All parameters of the task.
    catalogue : dict
        How many items and features there are.
    purpose : str
        ``"train"`` or ``"evaluate"``.
    round : int
    noise : dict of str to float
        Standard deviation of the noise in each release.
    key : str
        Public sealing key, in hexadecimal.
    """

    role: str
    code: str
    task: dict[str, Any]
    catalogue: dict[str, int]
    purpose: str
    round: int
    noise: dict[str, float]
    key: str

    @cached_property
    def digest(self) -> bytes:
        """Digest that names the task, as `task_digest` has it: simulated devices all ask the same statement for it."""
        return task_digest(self.task, self.catalogue, self.purpose)


def canonical(content: Mapping[str, Any]) -> bytes:
    """Return the one form of a JSON object that is hashed and signed."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def task_digest(task: Mapping[str, Any], catalogue: Mapping[str, int], purpose: str) -> bytes:
    """Return what names a task with all its parameters: a task that differs in one of them is another."""
    return hashlib.sha256(canonical({"task": dict(task), "catalogue": dict(catalogue), "purpose": purpose})).digest()


def sign(statement: Statement, key: Ed25519PrivateKey) -> bytes:
    said = canonical(asdict(statement))
    return key.sign(_CONTEXT + said) + said


@lru_cache(maxsize=64)
def verified(signed: bytes, verifying_key: str) -> Statement:
    """Return what a statement says, if it is of the process whose verifying key is given, in hexadecimal.

    Raises
    ------
    RoleError
        If it is signed by another key, or was changed on its way.
    """
    signature, said = signed[:64], signed[64:]
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(verifying_key)).verify(signature, _CONTEXT + said)
        return Statement(**json.loads(said))
    except (InvalidSignature, ValueError, TypeError):
        raise RoleError("The statement is not signed by the key that this device trusts.") from None


@cache
def code_hash() -> str:
    """Return SHA-256 over all source files of this library, as they were when it was first asked, in hexadecimal."""
    root = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
