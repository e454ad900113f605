"""Sketches as bytes: a line of JSON, the sums, and a digest of both."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from .arrays import Array
from .errors import ParameterError
from .registry import Mechanism, State, mechanism_for

# Cells are 32 bits wide.
MOST_REPORTS: Final = 2**31 - 1
_MAGIC: Final = b"ldpsketch 1\n"
_FIELDS: Final = ("algorithm", "parameters", "sizes", "dtype")
# The sums of a sketch of given elements: one for each.
COUNTS: Final = "counts"
_TYPES: Final = frozenset({"|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<i8"})


def empty_sums(mechanism: Mechanism, elements: Sequence[str] | None) -> State:
    """Return the sums over no reports: of all that a mechanism counts, or of given elements alone."""
    return mechanism.empty_state() if elements is None else {COUNTS: np.zeros(len(elements), np.int32)}


def pack(mechanism: Mechanism, elements: Sequence[str] | None, sizes: Mapping[str, int], state: State) -> bytes:
    """Return sums and what they are of as bytes: equal ones for equal sums, in the narrowest type that holds them."""
    sums = np.concatenate([own.reshape(-1) for own in state.values()])
    ends = int(sums.min(initial=0)), int(sums.max(initial=0))
    dtype = np.result_type(*map(np.min_scalar_type, ends)).newbyteorder("<")
    header = {
        "algorithm": mechanism.algorithm,
        "parameters": mechanism.encoded_parameters(),
        "sizes": dict(sizes),
        "dtype": dtype.str,
    }
    if elements is not None:
        header["elements"] = list(elements)
    content = _MAGIC + json.dumps(header).encode() + b"\n" + sums.astype(dtype).tobytes()
    return content + hashlib.sha256(content).digest()


def unpack(content: bytes) -> tuple[Mechanism, tuple[str, ...] | None, dict[str, int], State]:
    """Return what `pack` was given, or raise a ParameterError if it never was."""
    body, digest = content[:-32], content[-32:]
    if not body.startswith(_MAGIC) or hashlib.sha256(body).digest() != digest:
        raise ParameterError("sketch", "These bytes are no sketch.")
    line, _, cells = body[len(_MAGIC) :].partition(b"\n")
    try:
        header = json.loads(line)
        algorithm, parameters, sizes, dtype = (header[name] for name in _FIELDS)
    except (ValueError, TypeError, KeyError):
        raise ParameterError("sketch", "The header of the sketch cannot be read.") from None
    if not isinstance(algorithm, str) or not isinstance(parameters, dict):
        raise ParameterError("sketch", "The header of the sketch names no mechanism.")
    mechanism = mechanism_for(algorithm, parameters)
    if not isinstance(sizes, dict) or sizes.keys() != set(mechanism.streams) or str(dtype) not in _TYPES:
        raise ParameterError("sketch", "The header of the sketch does not fit its mechanism.")
    if not all(isinstance(size, int) and 0 <= size <= MOST_REPORTS for size in sizes.values()):
        raise ParameterError("sketch", "The sizes of the sketch are no numbers of records.")
    elements = _elements_in(header)
    empty, most = empty_sums(mechanism, elements), dict(sizes)
    most[COUNTS] = sum(sizes[stream] for stream in mechanism.report_streams)
    return mechanism, elements, sizes, _filled(empty, most, np.dtype(str(dtype)), cells)


def _elements_in(header: Mapping[str, Any]) -> tuple[str, ...] | None:
    if "elements" not in header:
        return None
    found = header["elements"]
    if not isinstance(found, list) or not all(isinstance(element, str) for element in found):
        raise ParameterError("sketch", "The elements of the sketch are no texts.")
    if len(set(found)) < len(found):
        raise ParameterError("sketch", "The elements of the sketch are not different.")
    return tuple(found)


def _filled(state: State, most: Mapping[str, int], dtype: np.dtype[Any], cells: bytes) -> State:
    """Take sums in the place of none, if they can be what so many records left."""
    if len(cells) != dtype.itemsize * sum(sums.size for sums in state.values()):
        raise ParameterError("sketch", "The sketch has not as many sums as its mechanism.")
    flat: Array = np.frombuffer(cells, dtype)
    start = 0
    for stream, sums in state.items():
        own = flat[start : start + sums.size].astype(np.int64)
        if max(int(own.max(initial=0)), -int(own.min(initial=0))) > most[stream]:
            raise ParameterError("sketch", "A sum in the sketch is larger than its records can make it.")
        sums[:] = own.reshape(sums.shape)
        start += sums.size
    return state
