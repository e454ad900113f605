"""Rows for PostgreSQL's binary COPY, made by NumPy: millions of them without a Python object for each.

Every column has the same width in all rows of a block, so that a block is one structured array.
"""

import datetime
import json
import uuid
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from django.db import connection
from django.db.models import Field, Model
from numpy.typing import NDArray

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
BIGINT_OID = 20
EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)

# The bytes of a column: a structured array of as many items as there are rows, or of one that all rows have.
Encoded = NDArray[Any]


class Copy:
    """Sends blocks of rows to the table of a model. Columns that are not given have the field's default.

    Until the block ends the connection takes nothing else: whoever asks it anything meanwhile waits for ever.
    """

    def __init__(self, model: type[Model], *columns: str) -> None:
        self._fields = {field.attname: field for field in model._meta.concrete_fields}
        self._columns = columns
        primary_key = model._meta.pk.attname
        rest = [name for name in self._fields if name not in columns and name != primary_key]
        self._constant = {name: _encode(self._fields[name], _default(self._fields[name])) for name in rest}
        names = ", ".join(f'"{self._fields[name].column}"' for name in [*columns, *rest])
        self._statement = f'COPY "{model._meta.db_table}" ({names}) FROM STDIN (FORMAT BINARY)'

    def __enter__(self) -> Self:
        self._cursor = connection.cursor()
        self._copying = self._cursor.copy(self._statement)
        self._copy = self._copying.__enter__()
        self._copy.write(HEADER)
        return self

    def __exit__(self, *problem: object) -> None:
        if problem[0] is None:
            self._copy.write(TRAILER)
        self._copying.__exit__(*problem)
        self._cursor.close()

    def write(self, **values: Any) -> int:
        """Send a block of rows: for each column an array, or one value for all. Returns how many they were."""
        encoded = {name: _encode(self._fields[name], values.pop(name)) for name in self._columns} | self._constant
        if values:
            raise TypeError(f"Columns that were not announced: {', '.join(values)}")
        size = max(len(column) for column in encoded.values())
        layout = [("fields", ">i2"), *((name, column.dtype) for name, column in encoded.items())]
        rows = np.empty(size, dtype=np.dtype(layout))
        rows["fields"] = len(encoded)
        for name, column in encoded.items():
            rows[name] = column
        self._copy.write(rows.tobytes())
        return size


def _default(field: "Field[Any, Any]") -> Any:
    if field.has_default():
        return field.get_default()
    if getattr(field, "auto_now_add", False) or getattr(field, "auto_now", False):
        return datetime.datetime.now(datetime.UTC)
    return None if field.null else ""


def _encode(field: "Field[Any, Any]", value: Any) -> Encoded:
    """Length and bytes of a column."""
    if value is None:
        return np.full(1, -1, dtype=[("length", ">i4")])
    kind = (field.db_type(connection) or "").partition("(")[0]
    if kind not in _KINDS:
        raise TypeError(f"{field}: no columns of {kind} are written here")
    content = np.atleast_1d(_KINDS[kind](value))
    encoded = np.empty(len(content), dtype=[("length", ">i4"), ("content", content.dtype)])
    encoded["length"], encoded["content"] = content.dtype.itemsize, content
    return encoded


def _dates(value: Any) -> NDArray[Any]:
    # An array in any case: a single number of NumPy's has the byte order of the machine.
    days = np.atleast_1d(np.asarray(value, dtype="datetime64[D]")) - np.datetime64("2000-01-01", "D")
    return days.astype(">i4")


def _times(value: Any) -> NDArray[Any]:
    if isinstance(value, datetime.datetime):
        return np.asarray(round((value - EPOCH).total_seconds() * 1e6), dtype=">i8")
    since = np.atleast_1d(np.asarray(value, dtype="datetime64[us]")) - np.datetime64("2000-01-01", "us")
    return since.astype(">i8")


def _texts(value: Any) -> NDArray[Any]:
    """Bytes of one width in all rows; NumPy would cut zero bytes off, which no text has."""
    if isinstance(value, str):
        value = value.encode()
    array = np.asarray(value)
    # A text of no characters has no bytes, but NumPy's items have at least one.
    return np.zeros(array.shape, dtype="V0") if array.dtype.itemsize == 0 or not array.tobytes().strip(b"\0") else array


def _uuids(value: Any) -> NDArray[Any]:
    if isinstance(value, uuid.UUID):
        value = np.frombuffer(value.bytes, dtype="V16")
    return np.asarray(value)


def _json(value: Any) -> NDArray[Any]:
    return np.frombuffer(b"\x01" + json.dumps(value).encode(), dtype=f"V{len(json.dumps(value).encode()) + 1}")


def _bigint_arrays(value: Any) -> NDArray[Any]:
    """Of a matrix, each row an array; as PostgreSQL sends them: dimensions, then length and bytes of each item."""
    matrix = np.atleast_2d(np.asarray(value, dtype=">i8"))
    size, width = matrix.shape
    if not width:
        empty = np.array([0, 0, BIGINT_OID], dtype=">i4").tobytes()
        return np.frombuffer(empty, dtype=f"V{len(empty)}")
    item = np.dtype([("length", ">i4"), ("content", ">i8")])
    arrays = np.empty(size, dtype=np.dtype([("head", ">i4", (5,)), ("items", item, (width,))]))
    arrays["head"] = (1, 0, BIGINT_OID, width, 1)
    arrays["items"]["length"], arrays["items"]["content"] = 8, matrix
    return arrays


_KINDS: dict[str, Callable[[Any], NDArray[Any]]] = {
    "bigint": lambda value: np.asarray(value, dtype=">i8"),
    "integer": lambda value: np.asarray(value, dtype=">i4"),
    "smallint": lambda value: np.asarray(value, dtype=">i2"),
    "double precision": lambda value: np.asarray(value, dtype=">f8"),
    "boolean": lambda value: np.asarray(value, dtype="u1"),
    "date": _dates,
    "timestamp with time zone": _times,
    "text": _texts,
    "varchar": _texts,
    "uuid": _uuids,
    "jsonb": _json,
    "bigint[]": _bigint_arrays,
}
