"""Elements as people know them: as devices hash one, as it is written, and what it is called."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from aggregation.normalization import PAD, WORD_LENGTH
from reports.models import Version
from reports.results.names import colourful, element_name, plain_name, unpadded

# Columns of an entry of a dictionary or a histogram: element, display form and category.
TEXTS: Final = ("element", "display", "category")
Texts: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True)
class Element:
    """Element that is counted or was found, and how people call it."""

    # As devices hash it, and as people write it.
    element: str
    text: str
    display: str
    # In the reader's language.
    name: str
    category: str
    # In files.
    title: str


def elements_of(version: Version, rows: Iterable[Texts]) -> list[Element]:
    return [
        Element(
            element=element,
            text=(text := unpadded(version, element)),
            display=colourful(display),
            name=element_name(version, display),
            category=category,
            title=plain_name(version, text, display),
        )
        for element, display, category in rows
    ]


def hashed(version: Version, text: str) -> str:
    """Fill a word up to the length that devices hash."""
    if version.normalization != "word":
        return text
    return text.ljust(version.mechanism.element_length or WORD_LENGTH, PAD)


def letters_first(rows: Iterable[Texts], wanted: str) -> list[Texts]:
    """Sort rows by how well they match a text: those that begin with it first, of these the short ones."""
    folded = wanted.casefold()
    return sorted(rows, key=lambda row: (not row[1].casefold().startswith(folded), len(row[1]), row[1]))
