"""Export of definitions: applying them changes nothing."""

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from aggregation.normalization import PAD
from reports.definitions.definition_file import PLAIN_FIELDS
from reports.definitions.dictionary import Entry
from reports.definitions.dictionary_rows import COLUMNS
from reports.definitions.versions import settings_of
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
            with (folder / f"{use_case.slug}.csv").open("w", encoding="utf-8", newline="") as file:
                write_csv(file, revision)
        text = json.dumps(item, ensure_ascii=False, indent=1)
        stream.write(separator + (text if revision is None or in_file else text.removesuffix("\n}")))
        if revision is not None and not in_file:
            _write_list(stream, revision)
        separator = ",\n"
    stream.write("]\n" if separator == ",\n" else "[]\n")


def _definition(use_case: UseCase, version: Version) -> dict[str, Any]:
    """Return a definition without its dictionary, and without empty fields."""
    item: dict[str, Any] = {
        "slug": use_case.slug,
        **{name: getattr(use_case, name) for name in PLAIN_FIELDS},
        "daily_limit": use_case.reports_per_day,
        "budget_group": use_case.budget_group and use_case.budget_group.name,
        "viewer_groups": sorted(group.name for group in use_case.viewer_groups.all()),
        "owner_group": use_case.owner_group and use_case.owner_group.name,
        **settings_of(version),
    }
    return {name: value for name, value in item.items() if value is not None}


def written_entries(revision: DictionaryRevision) -> Iterator[Entry]:
    """Yield the entries as people write them: normalised again they are the same."""
    padded = revision.version.normalization == "word"
    rows = revision.entries.order_by("position").values_list("element", "display", "category")
    for element, display, category in rows.iterator(chunk_size=1000):
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


def write_csv(stream: Writable, revision: DictionaryRevision, line_end: str = "\r\n") -> None:
    writer = csv.writer(stream, lineterminator=line_end)
    writer.writerow(COLUMNS)
    writer.writerows(written_entries(revision))
