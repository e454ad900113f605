"""Uploads: what is sent, and the receipt for it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

# Documents of the report format: written already, in the file of a path, or to be written.
Source: TypeAlias = "bytes | str | PathLike[str] | Iterable[Mapping[str, Any]]"

_TYPES = {".json": "application/json", ".ndjson": "application/x-ndjson"}
_ENCODINGS = {".gz": "gzip", ".zst": "zstd"}


@dataclass(frozen=True)
class Receipt:
    """Receipt of the site for an upload that it took."""

    # None if the records were there already; only the key names a first batch.
    batch: str | None
    # "stored", or "duplicate" if it was there already.
    status: str
    # On which the reports count, and for which they were sent: another, if that is closed.
    day: date
    requested_day: date
    accepted: int
    # How many records were left out, by reason, and where the first of them stand.
    rejected: dict[str, int]
    errors: list[dict[str, Any]]
    # Remarks on parts of the request that were not done as asked, in words.
    detail: str


def receipt_of(document: Mapping[str, Any]) -> Receipt:
    return Receipt(
        batch=document["batch"],
        status=document["status"],
        day=date.fromisoformat(document["day"]),
        requested_day=date.fromisoformat(document["requested_day"]),
        accepted=document["accepted"],
        rejected=document["rejected"],
        errors=document["errors"],
        detail=document.get("detail", ""),
    )


def body_of(source: Source) -> tuple[bytes | BinaryIO, dict[str, str]]:
    """Return what is sent, and the headers that say what it is. Raises ValueError for a file of another kind."""
    if isinstance(source, bytes):
        return source, {"Content-Type": _TYPES[".ndjson"]}
    if isinstance(source, str | PathLike):
        path = Path(source)
        headers = _headers(path)
        return path.open("rb"), headers
    lines = (json.dumps(document, ensure_ascii=False) for document in source)
    return "\n".join(lines).encode(), {"Content-Type": _TYPES[".ndjson"]}


def _headers(path: Path) -> dict[str, str]:
    encoding = _ENCODINGS.get(path.suffix)
    kind = _TYPES.get(Path(path.stem).suffix if encoding else path.suffix)
    if kind is None:
        raise ValueError(f"{path.name}: name it .json or .ndjson, packed with .gz or .zst behind that.")
    return {"Content-Type": kind} | ({"Content-Encoding": encoding} if encoding else {})
