"""Lists of elements and counts that people hand in, CSV or TSV."""

import csv
import re
from collections.abc import Mapping
from typing import Final

from ..errors import ParameterError, shown

MOST_ELEMENTS: Final = 250_000
MOST_REPORTS: Final = 10**12
_WHOLE: Final = re.compile(r"[0-9]{1,13}")
_NUMBER: Final = re.compile(r"[-+−]?[0-9]*[.,]?[0-9]+([eE][-+]?[0-9]+)?")
_HEADINGS: Final = {"count", "counts", "reports", "frequency", "number", "n"}


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
        raise _refuse(lines.line_num, f"cannot be read ({error}).") from error
    counts = [count for _, count in found.values()]
    if not sum(counts):
        raise ParameterError("observed", "The list has no element with a count above 0; write one on each line.")
    if sum(counts) > MOST_REPORTS:
        raise ParameterError("observed", f"The counts sum to more than {MOST_REPORTS:,}; divide them by one number.")
    return list(found), counts


def _is_heading(fields: list[str]) -> bool:
    return len(fields) == 2 and fields[1].strip().lower() in _HEADINGS


def _read_line(number: int, fields: list[str], found: Mapping[str, tuple[int, int]], most: int) -> tuple[str, int]:
    """Return element and count of a line; `found` has what came before, with line numbers."""
    if len(fields) != 2:
        raise _refuse(number, f"has {len(fields)} fields; write an element, a tab or a comma, and its count.")
    element, count = fields[0].strip(), fields[1].strip()
    if not element:
        raise _refuse(number, "has a count but no element; name it, or leave the line out.")
    if element in found:
        raise _refuse(number, f"repeats {shown(element)} of line {found[element][0]}; add up their counts.")
    if len(found) >= most:
        raise _refuse(number, f"is one too many: a list may have {most:,} elements; leave out the rarest.")
    return element, _count(number, element, count)


def _count(number: int, element: str, count: str) -> int:
    if _WHOLE.fullmatch(count):
        return int(count)
    if count.startswith(("-", "−")) and _NUMBER.fullmatch(count):
        raise _refuse(number, f"has a negative count, {shown(count)}, of {shown(element)}; counts are 0 or more.")
    if _NUMBER.fullmatch(count) and not count.lstrip("+").isdecimal():
        raise _refuse(number, f"has a fractional count, {shown(count)}, of {shown(element)}; write whole numbers.")
    if count.isdecimal():
        raise _refuse(number, f"has a count above {MOST_REPORTS:,}, of {shown(element)}; divide all by one number.")
    raise _refuse(number, f"has {shown(count)} where the count of {shown(element)} should be; write a whole number.")


def _refuse(number: int, what: str) -> ParameterError:
    return ParameterError("observed", f"Line {number} {what}")
