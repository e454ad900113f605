"""Dictionaries as people write them: one element a line, CSV, or a list of JSON."""

import csv
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

COLUMNS = ("element", "display", "category")

# Describes the place of the row with that number.
Where: TypeAlias = Callable[[int], str]


class Row(NamedTuple):
    """Entry as it was written, with the number of its line, or its place in the list."""

    number: int
    element: str
    display: str
    category: str


def rows_of_lines(lines: Iterable[str]) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        text = line.removesuffix("\n")
        yield Row(number, text, text, "")


def rows_of_csv(lines: Iterable[str], where: Where) -> Iterator[Row]:
    """Read CSV from lines with their ends as written. Raises `ValidationError` that says what is wrong, and where."""
    reader = csv.reader(lines, strict=True)
    start = 1  # where the row begins: in quotes it may go on for several lines
    try:
        header = next(reader, [])
        if "element" not in header or not {*header} <= {*COLUMNS} or len({*header}) < len(header):
            raise ValidationError(
                _("%(where)s must be a line of column names, separated by commas: element, display, category")
                % {"where": where(1)}
            )
        places = [header.index(name) if name in header else None for name in COLUMNS]
        start = reader.line_num + 1
        for cells in reader:
            if cells:
                yield _row(start, cells, places, len(header), where)
            start = reader.line_num + 1
    except csv.Error as error:
        raise ValidationError(f"{where(start)}: {_csv_problem(error)}") from None


def _row(number: int, cells: list[str], places: list[int | None], columns: int, where: Where) -> Row:
    if len(cells) > columns:
        raise ValidationError(
            _("%(where)s has more columns than the first line; put texts with commas in quotes")
            % {"where": where(number)}
        )
    if any("\0" in cell for cell in cells):
        raise ValidationError(_("%(where)s holds a NUL, which no text has; remove it") % {"where": where(number)})
    element, display, category = (cells[place] if place is not None and place < len(cells) else "" for place in places)
    return Row(number, element, display or element, category)


def _csv_problem(error: csv.Error) -> str:
    # The module tells its errors apart by their text alone.
    if "field limit" in str(error):
        return _("a field has more than %(limit)d characters; shorten it, or close its quotes") % {
            "limit": csv.field_size_limit()
        }
    if "end of data" in str(error):
        return _("quotes are opened here and never closed; close them")
    return _("quotes must stand around a whole field, and be doubled within it")


def rows_of_list(items: list[object]) -> Iterator[Row]:
    """Read a list of a definition file. Raises `ValidationError` for what is no entry."""
    for number, item in enumerate(items, 1):
        if isinstance(item, str):
            yield Row(number, item, item, "")
            continue
        texts = item if isinstance(item, dict) else {}
        if "element" not in texts or not texts.keys() <= {*COLUMNS} or not all(map(_is_text, texts.values())):
            raise ValidationError(
                _("entry %(number)d must be a text, or an object of texts: element and, if wanted, display, category")
                % {"number": number}
            )
        yield Row(number, texts["element"], texts.get("display") or texts["element"], texts.get("category", ""))


def _is_text(value: object) -> bool:
    return isinstance(value, str)
