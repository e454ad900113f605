"""Bytes that roles exchange: named arrays with a JSON object before them, and messages one after the other."""

import json
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from ...arrays import Array
from .refusals import RoleError

_LENGTH: Final = struct.Struct(">Q")


def pack(messages: Iterable[bytes]) -> bytes:
    return b"".join(part for message in messages for part in (_LENGTH.pack(len(message)), message))


def unpack(body: bytes) -> Iterator[bytes]:
    """Yield the messages of a body; raise a RoleError at one that is cut off."""
    start = 0
    while start < len(body):
        end = start + _LENGTH.size
        length = _LENGTH.unpack_from(body, start)[0] if end <= len(body) else 0
        if end + length > len(body):
            raise RoleError("The request is cut off.")
        yield body[end : end + length]
        start = end + length


def pack_arrays(head: Mapping[str, Any], arrays: Iterable[Array]) -> bytes:
    """Return a JSON object and arrays of numbers as bytes."""
    listed = list(arrays)
    forms = [{"dtype": array.dtype.str, "shape": array.shape} for array in listed]
    return pack([json.dumps({"head": head, "arrays": forms}).encode(), *(array.tobytes() for array in listed)])


def unpack_arrays(body: bytes) -> tuple[dict[str, Any], list[Array]]:
    """Return what `pack_arrays` was given; raise a RoleError if the bytes are not of its making."""
    try:
        described, *contents = unpack(body)
        said = json.loads(described)
        arrays = [
            np.frombuffer(content, np.dtype(form["dtype"])).reshape(form["shape"])
            for form, content in zip(said["arrays"], contents, strict=True)
        ]
        if any(array.dtype.kind not in "fiu" for array in arrays):
            raise RoleError("Arrays of roles are of numbers.")
        return said["head"], arrays
    except (ValueError, TypeError, KeyError):
        raise RoleError("The request is not arrays of numbers.") from None


def require_fields(content: Any, fields: Mapping[str, type]) -> None:
    """Raise a RoleError unless a request has exactly the fields, of exactly the types, that are expected."""
    is_right = isinstance(content, dict) and set(content) == set(fields)
    if not is_right or any(type(content[name]) is not kind for name, kind in fields.items()):
        raise RoleError(f"A request has the fields {', '.join(fields)}.")
