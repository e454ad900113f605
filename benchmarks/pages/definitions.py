"""The use cases of the benchmark, as people define them, and people who look at them."""

from pathlib import Path
from typing import Any

import numpy as np
from django.contrib.auth.models import Group, User
from numpy.typing import NDArray

from benchmarks.pages.binary import Copy
from benchmarks.pages.sizes import DICTIONARY, Size
from reports.definitions import apply_definitions
from reports.definitions.file import check_definitions
from reports.models import DictionaryEntry, DictionaryRevision, Version

LETTERS = "abcdefghijklmnopqrstuvwxyz"
VIEWER, OWNER = "everybody", "everybody-owners"
VISITOR, ADMINISTRATOR = "visitor", "administrator"
WORD_LENGTH = 10


def define(size: Size) -> list[Version]:
    """Define all use cases, and two people: one who sees and owns them all, and an administrator."""
    items = [_definition(size, number) for number in range(size.use_cases)]
    apply_definitions(check_definitions(items, Path()))
    versions = list(Version.objects.select_related("use_case").order_by("use_case__slug"))
    _make_dictionaries([version for version in versions if version.discovery is None])
    visitor = User.objects.create(username=VISITOR, email="visitor@example.org")
    visitor.groups.set(Group.objects.all())
    User.objects.create(username=ADMINISTRATOR, is_superuser=True, is_staff=True)
    return versions


def _definition(size: Size, number: int) -> dict[str, Any]:
    words = size.finds_words(number)
    item: dict[str, Any] = {
        "slug": size.slug(number),
        "title": f"Question {number:03d} of many",
        "description": "A question like any other, whose answers are made up.",
        "viewer_groups": [VIEWER],
        "owner_group": OWNER,
        "locales": size.names,
        "daily_limit": 1,
        "retention_days": 90,
        "minimum_reports": 10_000,
        "false_positive_rate": 0.05,
    }
    if words:
        parameters = {"epsilon": 4, "k": 2048, "m": 1024, "fragment_epsilon": 6, "fragment_k": 2048, "fragment_m": 1024}
        item |= {"algorithm": "SequenceFragmentPuzzle", "normalization": "word", "alphabet": LETTERS}
        return item | {"parameters": parameters | {"length": WORD_LENGTH}}
    item |= {"algorithm": "CountMeanSketch", "normalization": "raw", "dictionary_complete": is_complete(number)}
    return item | {"parameters": {"epsilon": 4, "k": 65536, "m": 1024}}


def is_complete(number: int) -> bool:
    """Whether the dictionary of a use case holds all that can be reported; where words are found there is none."""
    return number % 2 == 0


def elements() -> NDArray[np.bytes_]:
    """The dictionary of every use case that counts one, most frequent first, as bytes of one width."""
    return np.array([f"element-{number:05d}".encode() for number in range(DICTIONARY)])


def words() -> NDArray[np.bytes_]:
    """What use cases find that have no dictionary, with their pads."""
    found = []
    for number in range(DICTIONARY):
        letters = [LETTERS[number // 26**place * 7 % 26] for place in range(7)]
        letters[:3] = LETTERS[number % 26], LETTERS[number // 26 % 26], LETTERS[number // 676 % 26]
        found.append("".join(letters).ljust(WORD_LENGTH, "_").encode())
    return np.array(found)


def _make_dictionaries(versions: list[Version]) -> None:
    DictionaryRevision.objects.bulk_create(
        DictionaryRevision(version=version, number=1, size=DICTIONARY, digest="0" * 64) for version in versions
    )
    texts, place = elements(), np.arange(DICTIONARY)
    revisions = list(DictionaryRevision.objects.values_list("pk", flat=True))
    with Copy(DictionaryEntry, "revision_id", "position", "element", "display", "category") as copy:
        for pk in revisions:
            copy.write(revision_id=pk, position=place, element=texts, display=texts, category=categories(place))


def categories(place: NDArray[np.int64]) -> NDArray[np.bytes_]:
    """The category of each element."""
    names: NDArray[np.bytes_] = np.array([f"category-{number}".encode() for number in range(10)])
    return names[place % 10]
