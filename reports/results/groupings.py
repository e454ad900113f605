"""Groupings: how elements are counted together. A group is the sum of all its members, whatever is shown of them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from django.contrib.postgres.aggregates import ArrayAgg
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from reports.models import DictionaryEntry, DictionaryRevision

_TONES: Final = dict.fromkeys(range(0x1F3FB, 0x1F400))
# Couples in two tones are spelled as sequences of two people, which have another code in one tone or none.
_COUPLES: Final = {
    "👩\u200d🤝\u200d👩": "👭",
    "👩\u200d🤝\u200d👨": "👫",
    "👨\u200d🤝\u200d👨": "👬",
    "🫱\u200d🫲": "🤝",
    "🧑\u200d❤\u200d💋\u200d🧑": "💏",
    "🧑\u200d❤\u200d🧑": "💑",
}


@dataclass(frozen=True)
class Group:
    """Name and category of a group."""

    element: str
    display: str
    category: str


@dataclass(frozen=True)
class Groups:
    """The groups of a dictionary, and for each of its positions the group it is in, or -1."""

    groups: list[Group]
    index: NDArray[np.int64]


@dataclass(frozen=True)
class Grouping:
    """A way to group: `name` is what addresses and documents call it."""

    name: str
    label: Promise
    column: Promise
    exists: Callable[[DictionaryRevision], bool]
    load: Callable[[DictionaryRevision], Groups]


def groupings(revision: DictionaryRevision) -> list[Grouping]:
    """The groupings that the dictionary has something for."""
    return [GROUPINGS[name] for name in _names(Frozen(revision))]


def load_groups(grouping: Grouping, revision: DictionaryRevision) -> Groups:
    """The groups of the dictionary, remembered: a run publishes many windows with the same."""
    return _load(grouping.name, Frozen(revision))


def in_no_group(grouping: Grouping, revision: DictionaryRevision) -> int:
    """The number of elements that are in no group."""
    return int(np.count_nonzero(load_groups(grouping, revision).index < 0))


class Frozen:
    """A revision as a key: it never changes, and what was learnt of it may be remembered."""

    def __init__(self, revision: DictionaryRevision) -> None:
        self.revision = revision
        self.key: tuple[int | str, str] = (revision.pk, revision.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frozen) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=1024)
def _names(frozen: Frozen) -> tuple[str, ...]:
    return tuple(grouping.name for grouping in GROUPINGS.values() if grouping.exists(frozen.revision))


@lru_cache(maxsize=4)
def _load(name: str, frozen: Frozen) -> Groups:
    return GROUPINGS[name].load(frozen.revision)


def _has_categories(revision: DictionaryRevision) -> bool:
    return revision.entries.exclude(category="").exists()


def _categories(revision: DictionaryRevision) -> Groups:
    """Entries without a category are in no group."""
    found = revision.entries.exclude(category="").order_by().values_list("category")
    positions = dict(found.annotate(positions=ArrayAgg("position")))
    names = sorted(positions)
    return Groups(
        [Group(name, name, name) for name in names], _index(revision.size, (positions[name] for name in names))
    )


def _has_skin_tones(revision: DictionaryRevision) -> bool:
    if revision.version.normalization != "emoji":
        return False
    return revision.entries.filter(element__regex=f"[{chr(min(_TONES))}-{chr(max(_TONES))}]").exists()


def _skin_tones(revision: DictionaryRevision) -> Groups:
    """Group every emoji with its variants in all skin tones; most groups have one member."""
    members: dict[str, list[DictionaryEntry]] = {}
    for entry in revision.entries.order_by("position"):
        members.setdefault(without_skin_tones(entry.element), []).append(entry)
    groups = []
    for base, entries in members.items():
        # The form without a tone names the group; it may be missing.
        named = next((entry for entry in entries if entry.element == base), None)
        display = named.display if named else base
        groups.append(Group(base, display, (named or entries[0]).category))
    return Groups(groups, _index(revision.size, ([entry.position for entry in found] for found in members.values())))


def without_skin_tones(element: str) -> str:
    """The emoji of which a normalised one is a variant; a tone by itself stays what it is."""
    base = element.translate(_TONES)
    return _COUPLES.get(base, base) if base and base != element else element


def _index(size: int, members: Iterable[list[int]]) -> NDArray[np.int64]:
    index = np.full(size, -1, dtype=np.int64)
    for number, positions in enumerate(members):
        index[positions] = number
    return index


GROUPINGS: Final = {
    grouping.name: grouping
    for grouping in (
        Grouping("category", _("Category"), _("Category"), _has_categories, _categories),
        Grouping("skin-tones", _("Combine skin tones"), _("Emoji"), _has_skin_tones, _skin_tones),
    )
}
