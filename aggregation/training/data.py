"""Ratings of people and public features of items: arrays, and the files that they are read from."""

import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Flags, Floats, Integers
from ..errors import shown
from .parameters import MAX_NAME, is_storable_name


class DataError(ValueError):
    """A file of ratings or features that cannot be used; the message names the file and the line."""


class Rated(NamedTuple):
    """Ratings of people one after the other, as what is solved or stepped for needs them.

    Parameters
    ----------
    places : ndarray of int, shape (n,)
        The row that each rating is of.
    offsets : ndarray of int64, shape (people + 1,)
        Where each person's ratings begin: the first at 0.
    values : ndarray, shape (n,)
        The ratings.
    """

    places: NDArray[np.integer]
    offsets: Integers
    values: Array

    @property
    def owners(self) -> Integers:
        """The number of the person that each rating is by; shape (n,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def in_batch(self, size: int, step: int) -> Flags:
        """Return which ratings a step uses: each person's in turn, `size` at a time and from the first again; 0: all.

        Shape (n,).
        """
        if size == 0:
            return np.ones(self.offsets[-1], np.bool_)
        counts, owner = np.diff(self.offsets), self.owners
        number = np.arange(len(owner)) - self.offsets[:-1][owner]
        return np.asarray((number - step * size) % counts[owner] < size)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings, sorted by user, then item; at most one a pair.

    Parameters
    ----------
    users, items : ndarray of int32, shape (n,)
        Numbers of users and items: places in the lists of names.
    values : ndarray of float32, shape (n,)
        The ratings.
    user_names, item_names : sequence of str
        All users and items, whether or not they have a rating.
    """

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    values: NDArray[np.float32]
    user_names: Sequence[str]
    item_names: Sequence[str]

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def offsets(self) -> Integers:
        """Places where each user's ratings begin, and the end of the last one's; shape (users + 1,)."""
        return offsets_of(self.users, len(self.user_names))

    @cached_property
    def by_item(self) -> Integers:
        """The order of the ratings by item, then user; shape (n,)."""
        return np.argsort(self.items, kind="stable")

    @cached_property
    def item_offsets(self) -> Integers:
        """Places where each item's ratings begin in `by_item`, and the end of the last one's; shape (items + 1,)."""
        return offsets_of(self.items, len(self.item_names))

    @property
    def rated(self) -> Rated:
        return Rated(self.items, self.offsets, self.values)

    def where(self, kept: Flags) -> "Ratings":
        """Return the ratings that a mask of shape (n,) keeps, under the same numbers."""
        return Ratings(self.users[kept], self.items[kept], self.values[kept], self.user_names, self.item_names)

    def of_users(self, chosen: Flags) -> "Ratings":
        """Return the ratings of the users that a mask of shape (users,) chooses, under the same numbers."""
        return self.where(chosen[self.users])


@dataclass(frozen=True, eq=False)
class Features:
    """Public features of items.

    Parameters
    ----------
    values : ndarray of float32, shape (items, features)
        Standardised numbers, and 0 or 1 for names.
    names : sequence of str
        What the columns are.
    """

    values: NDArray[np.float32]
    names: Sequence[str]


def offsets_of(keys: NDArray[np.int32], size: int) -> Integers:
    """Return where runs of each key from 0 to size - 1 begin in the sorted keys; shape (size + 1,)."""
    counts = np.bincount(keys, minlength=size)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def make_ratings(
    users: Sequence[int] | NDArray[np.int32],
    items: Sequence[int] | NDArray[np.int32],
    values: Sequence[float] | NDArray[np.float32],
    user_names: Sequence[str],
    item_names: Sequence[str],
) -> Ratings:
    """Return ratings in their order; no pair may occur twice."""
    user_numbers, item_numbers = np.asarray(users, np.int32), np.asarray(items, np.int32)
    order = np.lexsort((item_numbers, user_numbers))
    return Ratings(
        user_numbers[order], item_numbers[order], np.asarray(values, np.float32)[order], user_names, item_names
    )


def read_ratings(path: Path) -> Ratings:
    """Read a file of ratings. Items are numbered in the order of their names, which tells nothing of who rated them.

    Parameters
    ----------
    path : Path
        UTF-8 text, of one of these forms, told by the first line: `user item rating` with tabs; MovieLens' `u.data`
        (a timestamp follows), `ratings.dat` (with ``::``) and `ratings.csv` (with a header).

    Raises
    ------
    DataError
        With file and line: a line that has too few columns, a rating that is no number, a pair that occurs twice.
    """
    users, items, values = array("i"), array("i"), array("f")
    user_numbers: dict[str, int] = {}
    item_numbers: dict[str, int] = {}
    lines = array("q")
    for number, columns in _rows(path):
        if len(columns) not in {3, 4} or not columns[0] or not columns[1]:
            raise DataError(
                f"{path}, line {number}: expected a user, an item and a rating, found {len(columns)} columns."
            )
        for kind, name, known in (("user", columns[0], user_numbers), ("item", columns[1], item_numbers)):
            if name not in known:
                _check_name(path, number, kind, name)
        try:
            value = float(columns[2])
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise DataError(f"{path}, line {number}: the rating {columns[2][:40]!r} is no number.")
        users.append(user_numbers.setdefault(columns[0], len(user_numbers)))
        items.append(item_numbers.setdefault(columns[1], len(item_numbers)))
        values.append(value)
        lines.append(number)
    if not values:
        raise DataError(f"{path}: there are no ratings in it.")
    item_names = sorted(item_numbers)
    places = np.empty(len(item_names), np.int32)
    places[[item_numbers[name] for name in item_names]] = np.arange(len(item_names))
    numbers = places[np.frombuffer(items, np.int32)]
    pairs = np.frombuffer(users, np.int32).astype(np.int64) * len(item_names) + numbers
    order = np.argsort(pairs, kind="stable")
    doubled = order[1:][np.diff(pairs[order]) == 0]
    if len(doubled):
        second = doubled.min()
        user, item = list(user_numbers)[users[second]], item_names[numbers[second]]
        raise DataError(f"{path}, line {lines[second]}: user {user} has rated item {item} before.")
    return Ratings(
        np.frombuffer(users, np.int32)[order],
        numbers[order],
        np.frombuffer(values, np.float32)[order],
        list(user_numbers),
        item_names,
    )


def _check_name(path: Path, line: int, kind: str, name: str) -> None:
    if not is_storable_name(name):
        raise DataError(
            f"{path}, line {line}: the name of {'an' if kind == 'item' else 'a'} {kind} must have 1 to {MAX_NAME}"
            f" characters and no NUL, not {shown(name)}."
        )


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the columns of every line that is not empty; a header is left out."""
    separator = None
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                text = line.rstrip("\r\n")
                if not text:
                    continue
                if separator is None:
                    separator = next((mark for mark in ("\t", "::") if mark in text), ",")
                    if separator == "," and text.lower().startswith("userid,"):
                        continue
                yield number, text.split(separator)
    except UnicodeDecodeError:
        raise DataError(f"{path}: it is not UTF-8 text.") from None
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}.") from None


def read_items(path: Path) -> list[str]:
    """Read names of items, one a line. Raises a DataError for a name that occurs twice, or that no database keeps."""
    names: dict[str, int] = {}
    for line, (name, *_more) in _tabbed(path):
        _check_name(path, line, "item", name)
        if names.setdefault(name, line) != line:
            raise DataError(f"{path}, line {line}: item {name} occurs twice.")
    if not names:
        raise DataError(f"{path}: it has no items.")
    return [*names]


def read_features(path: Path, item_names: Sequence[str]) -> Features:
    """Read public features: `item feature feature …` with tabs.

    Parameters
    ----------
    path : Path
        A column that holds a number in every line is a feature of its own, standardised over the items. All other
        columns hold names: each name is a feature, 1 for the items that have it in any such column.
    item_names : sequence of str
        The items that features are wanted of; others are passed over, and an item without a line has zeros.

    Raises
    ------
    DataError
        With file and line: an item that occurs twice, or none that is known.
    """
    numbers = {name: number for number, name in enumerate(item_names)}
    found: dict[int, list[str]] = {}
    seen: set[str] = set()
    for line, (item, *columns) in _tabbed(path):
        if item in seen:
            raise DataError(f"{path}, line {line}: item {item} occurs twice.")
        _check_name(path, line, "item", item)
        for feature in filter(None, columns):
            _check_name(path, line, "feature", feature)
        seen.add(item)
        if item in numbers:
            found[numbers[item]] = columns
    if not found:
        raise DataError(f"{path}: it has none of the items that are rated.")
    rows = np.array(sorted(found))
    width = min(len(columns) for columns in found.values())
    parsed = {place: _numbers([found[row][place] for row in rows]) for place in range(width)}
    columns_of: dict[str, NDArray[np.float32]] = {}
    for place, column in parsed.items():
        if column is not None and (deviation := column.std()) > 0:
            columns_of[f"column {place + 2}"] = ((column - column.mean()) / deviation).astype(np.float32)
    named = [{name for place, name in enumerate(found[row]) if name and parsed.get(place) is None} for row in rows]
    for name in sorted(set().union(*named)):
        columns_of[name] = np.array([name in names for names in named], np.float32)
    values = np.zeros((len(item_names), len(columns_of)), np.float32)
    if columns_of:
        values[rows] = np.stack(list(columns_of.values()), axis=1)
    return Features(values, list(columns_of))


def _tabbed(path: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line:
                yield number, line.split("\t")
    except UnicodeDecodeError:
        raise DataError(f"{path}: it is not UTF-8 text.") from None
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}.") from None


def _numbers(texts: Sequence[str]) -> Floats | None:
    """Return the numbers that all texts are, or None."""
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None
