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
    # A note below it.
    note: str = ""


def number(label: str) -> Heading:
    """The heading of a column of numbers."""
    return Heading(label, css="number")


@dataclass(frozen=True)
class Cell:
    """A text with where it leads, and what stands behind and below it."""

    text: str
    link: str = ""
    # The end of a link's text that only those need who do not see which row it is in.
    hidden: str = ""
    badges: Sequence[str] = ()
    note: str = ""


Row = Sequence[Cell | str]


@dataclass(frozen=True)
class Table:
    """A table of texts; the first cell of a row says what the row is about.

    With an `id` the caption is seen, and the table is a region that keys can scroll.
    """

    caption: str
    headings: Sequence[Heading]
    rows: Sequence[Row]
    id: str = ""
    # The sums below the rows.
    foot: Row = ()

    def lines(self) -> Iterator[list[tuple[Heading, Cell]]]:
        return (self._line(row) for row in self.rows)

    def foot_line(self) -> list[tuple[Heading, Cell]]:
        return self._line(self.foot) if self.foot else []

    def _line(self, row: Row) -> list[tuple[Heading, Cell]]:
        cells = [cell if isinstance(cell, Cell) else Cell(cell) for cell in row]
        return list(zip(self.headings, cells, strict=True))
