"""Lists of elements and counts that people hand in, CSV or TSV."""

import csv
import re
from collections.abc import Mapping
from typing import Final

from ..errors import ParameterError, shown
from ..registry import marked as _

MOST_ELEMENTS: Final = 250_000
MOST_REPORTS: Final = 10**12
_WHOLE: Final = re.compile(r"[0-9]{1,13}")
_NUMBER: Final = re.compile(r"[-+−]?[0-9]*[.,]?[0-9]+([eE][-+]?[0-9]+)?")
_HEADINGS: Final = {"count", "counts", "reports", "frequency", "number", "n"}


class CountsError(ParameterError):
    """A list of counts cannot be used; `words` with `facts` filled in are the message, to be translated."""

    def __init__(self, words: str, **facts: object) -> None:
        super().__init__("observed", words % facts)
        self.words = words
        self.facts = facts


def read_counts(text: str, most: int = MOST_ELEMENTS) -> tuple[list[str], list[int]]:
    """Read a list of elements and counts.

    Parameters
    ----------
    text : str
        A line for each element, its name and its count separated by a tab or a comma; a line of headings may come
        first, and empty lines are skipped.
    most : int
        Elements that are taken.

    Returns
    -------
    tuple of list of str and list of int
        Elements and counts, in the order of the list.

    Raises
    ------
    ParameterError
        For the first line that cannot be used, whose number it names.
    """
    text = text.removeprefix("\ufeff")
    lines = csv.reader(text.splitlines(), delimiter="\t" if "\t" in text else ",")
    found: dict[str, tuple[int, int]] = {}
    try:
        for fields in lines:
            if any(field.strip() for field in fields) and (found or not _is_heading(fields)):
                element, count = _read_line(lines.line_num, fields, found, most)
                found[element] = lines.line_num, count
    except csv.Error as error:
        raise CountsError(_("Line %(line)s cannot be read (%(error)s)."), line=lines.line_num, error=error) from error
    counts = [count for _, count in found.values()]
    if not sum(counts):
        raise CountsError(_("The list has no element with a count above 0; write one on each line."))
    if sum(counts) > MOST_REPORTS:
        raise CountsError(
            _("The counts sum to more than %(most)s; divide them by one number."), most=f"{MOST_REPORTS:,}"
        )
    return list(found), counts


def _is_heading(fields: list[str]) -> bool:
    return len(fields) == 2 and fields[1].strip().lower() in _HEADINGS


def _read_line(number: int, fields: list[str], found: Mapping[str, tuple[int, int]], most: int) -> tuple[str, int]:
    """Return element and count of a line; `found` has what came before, with line numbers."""
    if len(fields) != 2:
        raise CountsError(
            _("Line %(line)s has %(fields)s fields; write an element, a tab or a comma, and its count."),
            line=number,
            fields=len(fields),
        )
    element, count = fields[0].strip(), fields[1].strip()
    if not element:
        raise CountsError(_("Line %(line)s has a count but no element; name it, or leave the line out."), line=number)
    if element in found:
        raise CountsError(
            _("Line %(line)s repeats %(element)s of line %(first)s; add up their counts."),
            line=number,
            element=shown(element),
            first=found[element][0],
        )
    if len(found) >= most:
        raise CountsError(
            _("Line %(line)s is one too many: a list may have %(most)s elements; leave out the rarest."),
            line=number,
            most=f"{most:,}",
        )
    return element, _count(number, element, count)


def _count(number: int, element: str, count: str) -> int:
    if _WHOLE.fullmatch(count):
        return int(count)
    if count.startswith(("-", "−")) and _NUMBER.fullmatch(count):
        words = _("Line %(line)s has a negative count, %(count)s, of %(element)s; counts are 0 or more.")
    elif _NUMBER.fullmatch(count) and not count.lstrip("+").isdecimal():
        words = _("Line %(line)s has a fractional count, %(count)s, of %(element)s; write whole numbers.")
    elif count.isdecimal():
        words = _("Line %(line)s has a count above %(most)s, of %(element)s; divide all by one number.")
    else:
        words = _("Line %(line)s has %(count)s where the count of %(element)s should be; write a whole number.")
    raise CountsError(words, line=number, count=shown(count), element=shown(element), most=f"{MOST_REPORTS:,}")
