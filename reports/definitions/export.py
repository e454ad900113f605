"""Definitions written back from what is stored: applying them changes nothing."""

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from aggregation.normalization import PAD
from reports.definitions.dictionary import Entry
from reports.definitions.rows import COLUMNS
from reports.models import DictionaryRevision, UseCase, Version

# Longer dictionaries get a file of their own, where there is a folder for it.
MOST_IN_LINE = 1000


class Writable(Protocol):
    """A file, or the standard output of a command."""

    def write(self, text: str, /) -> object: ...


def write_definitions(use_cases: Iterable[UseCase], stream: Writable, folder: Path | None = None) -> None:
    """Write a definition file of those with an active version; with a folder, long dictionaries into files there.

    It is written entry by entry, so that no dictionary is held.
    """
    separator = "[\n"
    for use_case in use_cases:
        version = use_case.active_version()
        if version is None:
            continue
        item, revision = _definition(use_case, version), version.current_dictionary()
        in_file = revision is not None and folder is not None and revision.size > MOST_IN_LINE
        if revision is not None and folder is not None and in_file:
            item["dictionary"] = {"file": f"{use_case.slug}.csv"}
            _write_csv(folder / f"{use_case.slug}.csv", revision)
        text = json.dumps(item, ensure_ascii=False, indent=1)
        stream.write(separator + (text if revision is None or in_file else text.removesuffix("\n}")))
        if revision is not None and not in_file:
            _write_list(stream, revision)
        separator = ",\n"
    stream.write("]\n" if separator == ",\n" else "[]\n")


def _definition(use_case: UseCase, version: Version) -> dict[str, Any]:
    """A definition without its dictionary. Fields that may not be empty in a file are left out then."""
    item: dict[str, Any] = {
        "slug": use_case.slug,
        "title": use_case.title,
        "description": use_case.description,
        "viewer_groups": sorted(group.name for group in use_case.viewer_groups.all()),
    }
    if use_case.owner_group is not None:
        item["owner_group"] = use_case.owner_group.name
    item |= {
        "algorithm": version.algorithm,
        "parameters": version.parameters,
        "normalization": version.normalization,
        "keep_case": version.keep_case,
        "locales": version.locales,
        "daily_limit": use_case.reports_per_day,
        "budget_group": "" if use_case.budget_group is None else use_case.budget_group.name,
        "retention_days": use_case.retention_days,
        "minimum_reports": use_case.minimum_reports,
        "false_positive_rate": use_case.false_positive_rate,
        "grace_days": use_case.grace_days,
        "dictionary_complete": use_case.dictionary_complete,
    }
    if use_case.prescribed_threshold is not None:
        item["prescribed_threshold"] = use_case.prescribed_threshold
    if version.alphabet is not None:
        item["alphabet"] = version.alphabet
    return item


def written_entries(revision: DictionaryRevision) -> Iterator[Entry]:
    """The entries as people write them: normalised again they are the same."""
    padded = revision.version.normalization == "word"
    rows = revision.entries.order_by("position").values_list("element", "display", "category")
    for element, display, category in rows.iterator(chunk_size=5000):
        yield Entry(element.rstrip(PAD) if padded else element, display, category)


def _item(entry: Entry) -> str | dict[str, str]:
    if entry.display == entry.element and not entry.category:
        return entry.element
    return {name: text for name, text in entry._asdict().items() if text or name != "category"}


def _write_list(stream: Writable, revision: DictionaryRevision) -> None:
    stream.write(',\n "dictionary": [')
    separator = "\n  "
    for entry in written_entries(revision):
        stream.write(separator + json.dumps(_item(entry), ensure_ascii=False))
        separator = ",\n  "
    stream.write("]\n}")


def _write_csv(path: Path, revision: DictionaryRevision) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        writer.writerows(written_entries(revision))
