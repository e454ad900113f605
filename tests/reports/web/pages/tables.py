"""Tables of figures as people read them, compared with the files that their page offers, number by number."""

import csv
import datetime
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple, TypedDict

from reports.formatting import day_range
from reports.web.pages.locales import locale_name

Row = dict[str, str]


class Shown(TypedDict):
    """A row of a table: what it is about, its numbers and all its words."""

    about: str
    numbers: str
    words: str


class Table(TypedDict):
    """Table of a page: its name, its headings and its rows, and what closes it: of all that is no row."""

    name: str
    heads: list[str]
    rows: list[Shown]
    closing: list[Shown]


# The file of the first of two tables of its page; all others are of the last.
PLACES = "elements-by-locale.csv"
NOT_ALLOCATED: Final = "All other elements, not allocated"
_NUMBER = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?")


class Written(NamedTuple):
    """A number as a page writes it, and what its last digit is worth."""

    value: float
    digit: float

    def is_about(self, exact: float) -> bool:
        """Rounded, or rounded up."""
        return abs(self.value - exact) <= 1.001 * self.digit


def numbers(text: str) -> list[Written]:
    found = []
    for part in _NUMBER.findall(text):
        plain = part.replace(",", "").replace("−", "-")
        found.append(Written(float(plain), 10.0 ** -len(plain.partition(".")[2])))
    return found


class Line(NamedTuple):
    """A row as the file has it: what it may be called, its numbers, and words that it has to have."""

    names: tuple[str, ...]
    numbers: list[float]
    words: Iterable[str] = ()

    def is_said_by(self, shown: Shown) -> bool:
        written = numbers(shown["numbers"])
        return (
            _plain(shown["about"]) in map(_plain, self.names)
            and len(written) == len(self.numbers)
            and all(map(Written.is_about, written, self.numbers))
            and all(_plain(word) in _plain(shown["words"]) for word in self.words)
        )


def _plain(text: str) -> str:
    """Leave out what is not seen: kinds of spaces, and that an emoji is to be coloured."""
    return " ".join(text.replace("\ufe0f", "").split())


# Files of tables that are no figure's, which are compared where their pages are tested.
OF_PLAIN_TABLES = frozenset(
    {"all-locales.csv", "changes.csv", "regression.csv", "cells.csv", "runs.csv", "rounds.csv", "releases.csv"}
)


def differences_of(address: str, tables: Sequence[Table], text: str) -> Iterator[str]:
    """Whatever these tables say otherwise than the text of the CSV that is at the address."""
    name = address.partition("?")[0].rpartition("/")[2]
    if name in OF_PLAIN_TABLES:
        return
    rows = list(csv.DictReader(io.StringIO(text)))
    if not tables:
        # In its place the page says why there is nothing.
        yield from _compared(name, [], [Line((row["element"],), []) for row in rows])
        return
    (*_, table) = [table for table in tables if name != PLACES or "places" in table["name"].split()]
    heads = [_plain(head) for head in table["heads"]]
    yield from _compared(name, table["rows"], list(_READERS[name](rows, heads)))
    for shown in table["closing"]:
        if name != "histogram.csv" or not _is_what_rows_leave(shown, rows, heads):
            yield f"{name}: the table closes with {shown!r}, which the rows of the file do not leave"


def _compared(name: str, rows: Sequence[Shown], expected: list[Line]) -> Iterator[str]:
    if len(rows) != len(expected):
        yield f"{name}: {len(rows)} rows are shown, and the file has {len(expected)}"
    for shown, line in zip(rows, expected, strict=False):
        if not line.is_said_by(shown):
            yield f"{name}: the table has {shown!r}, the file {line}"


def _is_what_rows_leave(shown: Shown, rows: list[Row], heads: list[str]) -> bool:
    """Tell whether it is n less all estimates, in the unit of the table, with an interval around it."""
    written = numbers(shown["numbers"])
    if shown["about"].strip() != NOT_ALLOCATED or not rows or len(written) != 3:
        return False
    n = float(rows[0]["n"])
    left = n - sum(float(row["estimate"]) for row in rows)
    value, lower, upper = written
    return value.is_about(left * (100 / n if _in_shares(heads) else 1)) and lower.value <= value.value <= upper.value


def _in_shares(heads: list[str]) -> bool:
    """Tell whether the column before the interval is of shares, and not of reports."""
    return next(head for head in heads if head == "Share" or "interval" in head) == "Share"


def _histogram(rows: list[Row], heads: list[str]) -> Iterator[Line]:
    """Interval and threshold are in the unit of the column before the interval: shares, or reports."""
    in_shares = _in_shares(heads)
    for row in rows:
        value, part = ("consistent", "consistent_share") if row["values"] == "consistent" else ("estimate", "share")
        reports, share = float(row[value]), 100 * float(row[part])
        unit = 100 / float(row["n"]) if in_shares else 1.0
        grouped = [float(row["members"]), unit * float(row["threshold"])] if row["grouping"] else []
        interval = [unit * float(row[name]) for name in ("adjusted_lower", "adjusted_upper")]
        numbers = [share, *interval] if in_shares else [reports, *interval, share]
        yield Line((row["display"], row["element"]), [float(row["rank"]), *numbers, *grouped])


def _comparison(rows: list[Row], heads: list[str]) -> Iterator[Line]:
    _element, first, second, *_rest, last = (head.partition(" %")[0] for head in heads)
    more = ("● " + first, "■ " + second)
    if last == "Change" and rows:
        more = ("▲ rose", "▼ fell") if rows[0]["first_last_day"] > rows[0]["second_last_day"] else ("▼ fell", "▲ rose")
    verdicts = {
        "more-in-first": more[0],
        "more-in-second": more[1],
        "no-clear-difference": "≈ not clear",
        "not-comparable": "cannot be compared",
    }
    for row in rows:
        found: list[float] = []
        for side in ("first", "second"):
            interval = [f"{side}_share", f"{side}_share_lower", f"{side}_share_upper"]
            names = interval if row[f"{side}_share"] else [f"{side}_share_at_most"]
            found += [100 * float(row[name]) for name in names if row[name]]
        names = ["difference", "difference_lower", "difference_upper"]
        points = [100 * float(row[name]) for name in names if row[name]]
        if len(points) == 2 and points[0] * points[1] > 0:
            # The difference is not known, but that it is at least as large as the nearer of its bounds.
            points = [min(points, key=abs), *points]
        found += points
        yield Line((row["display"], row["element"]), found, [verdicts[row["verdict"]]])


def _windows(rows: list[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Return the windows of each version, and how they are written."""

    def window(row: Row) -> tuple[str, str, str]:
        return row["last_day"], row["first_day"], row["version"]

    for (last, first, _version), found in groupby(sorted(rows, key=window), window):
        yield _days(first, last), list(found)


def _days(first: str, last: str) -> str:
    return day_range(datetime.date.fromisoformat(first), datetime.date.fromisoformat(last))


# Texts where there is no number.
_STATES = {
    "below-threshold": "below T",
    "not-counted": "not counted",
    "not-found": "not in the list",
    "not-yet": "too few reports yet, or none",
    "not-over": "not over yet, or not counted to its end",
}


def _point(row: dict[str, Any]) -> list[float]:
    names = ("share", "share_lower", "share_upper", "share_at_most")
    return [100 * float(row[name]) for name in names if row[name] not in ("", None)]


def _states(rows: Iterable[dict[str, Any]]) -> list[str]:
    return [_STATES[row["state"]] for row in rows if not row["estimate"]]


def _trend(rows: list[Row], heads: list[str]) -> Iterator[Line]:
    _window, *chosen, _n, _threshold = (head for head in heads if head != "Version")
    for days, found in _windows(rows):
        n, threshold = found[0]["n"], found[0]["threshold"]
        sizes = [float(n), 100 * float(threshold) / float(n)] if n and threshold else []
        in_order = [_plain(row["display"]) for row in found] == chosen
        points = [number for row in found for number in _point(row)]
        versions = [float(found[0]["version"])] if "Version" in heads and n else []
        yield Line((days if in_order else f"{days}, in another order",), versions + points + sizes, _states(found))


def _element(rows: list[Row], heads: list[str]) -> Iterator[Line]:
    _window, *locales = heads
    # With many locales the table has fewer than the file.
    shown = [row for row in rows if locale_name(row["locale"]) in locales]
    for days, found in _windows(shown):
        found.sort(key=lambda row: locales.index(locale_name(row["locale"])))
        yield Line((days,), [number for row in found for number in _point(row)], _states(found))


def _places(rows: list[Row], _heads: list[str]) -> Iterator[Line]:
    for row in rows:
        names = (locale_name(row["locale"]),)
        if not row["n"]:
            yield Line(names, [], ["nothing published"])
            continue
        n, threshold = float(row["n"]), row["threshold"]
        found = [*_point(row), n, *([100 * float(threshold) / n] if threshold else [])]
        yield Line(names, found, [_days(row["first_day"], row["last_day"]), *_states([row])])


def _ranks(rows: list[Row], heads: list[str]) -> Iterator[Line]:
    """Return ranks of an evaluation: roots of the squared errors, and no number where there is none."""
    for row in rows:
        found = [float(row[name]) for name in ("rank", "count", "delta_r")]
        found += [100 * float(row["delta_e"])] if row["delta_e"] else []
        found += [float(row[name]) ** 0.5 for name in ("mse", "expected_mse") if row[name]]
        yield Line((row["element"],), found)


_READERS: dict[str, Callable[[list[Row], list[str]], Iterator[Line]]] = {
    "histogram.csv": _histogram,
    "comparison.csv": _comparison,
    "trend.csv": _trend,
    "elements.csv": _element,
    "ranks.csv": _ranks,
    PLACES: _places,
}
