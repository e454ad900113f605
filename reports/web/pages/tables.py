"""Tables of pages: their headings, and plain tables of texts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    """A column's heading; its link sorts by it, or turns the order round."""

    label: str
    link: str = ""
    # The value of `aria-sort`, where the table is sorted by this column.
    order: str = ""
    css: str = ""


def number(label: str) -> Heading:
    """The heading of a column of numbers."""
    return Heading(label, css="number")


@dataclass(frozen=True)
class Cell:
    """A text with where it leads, and badges behind it."""

    text: str
    link: str = ""
    badges: Sequence[str] = ()


@dataclass(frozen=True)
class Table:
    """A table of texts; the first cell of a row says what the row is about."""

    caption: str
    headings: Sequence[Heading]
    rows: Sequence[Sequence[Cell | str]]

    def lines(self) -> Iterator[list[tuple[Heading, Cell]]]:
        for row in self.rows:
            cells = (cell if isinstance(cell, Cell) else Cell(cell) for cell in row)
            yield list(zip(self.headings, cells, strict=True))
