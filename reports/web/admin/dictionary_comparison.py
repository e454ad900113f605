"""Comparison of a proposed dictionary with the revision in force."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reports.definitions import Entry
from reports.models import DictionaryRevision

# There may be as many categories as elements, too many to read.
_LISTED = 50


@dataclass(frozen=True)
class Comparison:
    """Numbers of elements, against the revision in force."""

    new: int
    gone: int
    unchanged: int
    # Counted as before, but shown in another way or in another category.
    relabelled: int
    # The largest first, and how many there are beside those.
    categories: list[tuple[str, int]]
    more_categories: int


def compare(entries: Sequence[Entry], present: DictionaryRevision | None) -> Comparison:
    rows = present.entries.values_list("element", "display", "category").iterator() if present is not None else ()
    before = {element: (display, category) for element, display, category in rows}
    kept = [entry for entry in entries if entry.element in before]
    unchanged = sum(before[entry.element] == (entry.display, entry.category) for entry in kept)
    sizes = Counter(entry.category for entry in entries if entry.category)
    categories = sizes.most_common(_LISTED)
    return Comparison(
        new=len(entries) - len(kept),
        gone=len(before) - len(kept),
        unchanged=unchanged,
        relabelled=len(kept) - unchanged,
        categories=categories,
        more_categories=len(sizes) - len(categories),
    )
