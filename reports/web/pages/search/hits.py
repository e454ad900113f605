"""Hits of a search, grouped by kind."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from reports.results import Grade, search_lines

T = TypeVar("T")

# Hits of each kind, but for elements.
MOST_OF_A_KIND = 5


@dataclass(frozen=True)
class Hit:
    """A line of the answer, which leads somewhere; one that `posts` does something at once."""

    title: str
    address: str
    # The name in the reader's language, and a remark on it.
    name: str = ""
    detail: str = ""
    # Language of the title, where it is not the reader's.
    lang: str = ""
    posts: bool = False


@dataclass(frozen=True)
class Group:
    """Hits of one kind, the best first."""

    kind: str
    label: str
    hits: Sequence[Hit]
    grade: Grade = Grade.NEAR

    def document(self) -> dict[str, Any]:
        return {"kind": self.kind, "label": self.label, "hits": [vars(hit) for hit in self.hits]}


def group_of(
    kind: str,
    label: str,
    items: Iterable[T],
    line: Callable[[T], str],
    hit: Callable[[T], Hit],
    wanted: str,
    *,
    nearly: bool,
) -> Group | None:
    """Search items by their lines of text; None if nothing matches."""
    known = list(items)
    found = search_lines([line(item) for item in known], wanted, MOST_OF_A_KIND, nearly=nearly)
    if not found:
        return None
    return Group(kind, label, [hit(known[position]) for _grade, position in found], min(found)[0])
