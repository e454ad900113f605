"""Dictionaries in definition files: in line, or a file beside it."""

import csv
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from aggregation.normalization import normalize

# Longer texts fit neither into the database's index nor on a page.
MAX_ELEMENT = 500
MAX_CATEGORY = 80


@dataclass(frozen=True, slots=True)
class Entry:
    """An element as devices hash it, as people see it, and the group it is counted in."""

    element: str
    display: str
    category: str = ""


def read_dictionary(source: object, folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield (where, element, display, category) of each entry as written. Raises `ValueError` saying what and where."""
    if isinstance(source, dict) and source.keys() == {"file"} and isinstance(source["file"], str):
        yield from _read_file(folder / source["file"])
    elif isinstance(source, list):
        for position, item in enumerate(source):
            yield (f"entry {position + 1}", *_item(item, position))
    else:
        raise ValueError('must be a list of elements, or {"file": "name"}')


def _item(item: object, position: int) -> tuple[str, str, str]:
    if isinstance(item, str):
        return item, item, ""
    if isinstance(item, dict) and "element" in item and item.keys() <= {"element", "display", "category"}:
        element, category = item["element"], item.get("category", "")
        display = item.get("display", element)
        if isinstance(element, str) and isinstance(display, str) and isinstance(category, str):
            return element, display or element, category
    raise ValueError(
        f"entry {position + 1} must be a text, or an object of texts: element and, if wanted, display and category"
    )


def _read_file(path: Path) -> Iterator[tuple[str, str, str, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")  # spreadsheets write the mark, and it is no part of an element
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ValueError(f"cannot read {path.name}: {reason}") from None
    if path.suffix.lower() != ".csv":
        for number, line in enumerate(text.splitlines(), 1):
            yield f"{path.name} line {number}", line, line, ""
        return
    reader = csv.DictReader(text.splitlines())
    if "element" not in (reader.fieldnames or []) or not set(reader.fieldnames or []) <= {
        "element",
        "display",
        "category",
    }:
        raise ValueError(f"{path.name} must begin with a line of column names: element, display, category")
    try:
        for row in reader:
            where, element = f"{path.name} line {reader.line_num}", row["element"] or ""
            if None in row:
                raise ValueError(f"{where} has more columns than the first line; put texts with commas in quotes")
            yield where, element, row.get("display") or element, row.get("category") or ""
    except csv.Error as error:
        raise ValueError(f"{path.name} line {reader.line_num}: {error}") from None


def normalize_dictionary(
    source: object, folder: Path, profile: str, *, keep_case: bool = False
) -> tuple[list[Entry], list[str]]:
    """The entries as they will be counted, and what is wrong with those that cannot be."""
    entries: list[Entry] = []
    problems: list[str] = []
    seen: dict[str, str] = {}
    for where, written, display, category in read_dictionary(source, folder):
        storable = is_storable(written + display + category)
        element = normalize(profile, written, keep_case=keep_case) if storable else None
        if len(written) > MAX_ELEMENT or len(category) > MAX_CATEGORY:
            problems.append(
                f"{where}: an element may have {MAX_ELEMENT} characters and a category {MAX_CATEGORY}; shorten it"
            )
        elif not element:
            problems.append(
                f"{where}: {written!r} is empty, or not an element under the profile {profile!r}; remove it"
            )
        elif element in seen:
            problems.append(f"{where}: {written!r} is the same element as {seen[element]}; keep one of them")
        else:
            seen[element] = where
            entries.append(Entry(element, display, category))
    return entries, problems


def is_storable(text: str) -> bool:
    """No NUL and no half of a surrogate pair: the database takes neither, and no device could send the latter."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def digest(entries: list[Entry]) -> str:
    """SHA-256 by which two dictionaries are told apart: order, elements, display forms and categories."""
    sha = hashlib.sha256()
    for entry in entries:
        sha.update(json.dumps([entry.element, entry.display, entry.category]).encode() + b"\n")
    return sha.hexdigest()
