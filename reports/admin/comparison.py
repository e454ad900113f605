"""What a proposed dictionary would change."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reports.definitions import Entry
from reports.models import DictionaryRevision


@dataclass(frozen=True)
class Comparison:
    """Numbers of elements, against the revision in force."""

    new: int
    gone: int
    unchanged: int
    # Counted as before, but shown in another way or in another category.
    relabelled: int
    # By size, the largest first.
    categories: list[tuple[str, int]]


def compare(entries: Sequence[Entry], present: DictionaryRevision | None) -> Comparison:
    rows = present.entries.values_list("element", "display", "category").iterator() if present is not None else ()
    before = {element: (display, category) for element, display, category in rows}
    kept = [entry for entry in entries if entry.element in before]
    unchanged = sum(before[entry.element] == (entry.display, entry.category) for entry in kept)
    return Comparison(
        new=len(entries) - len(kept),
        gone=len(before) - len(kept),
        unchanged=unchanged,
        relabelled=len(kept) - unchanged,
        categories=Counter(entry.category for entry in entries if entry.category).most_common(),
    )
