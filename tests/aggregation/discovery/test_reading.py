"""Read-outs of days against the sketches' cells, looked up one by one."""

import tracemalloc
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.discovery import Sketches, fragment_keys, read_fragments, read_words
from aggregation.errors import ParameterError
from tests.aggregation.discovery.helpers import all_words, puzzle, reported

pytestmark = pytest.mark.exact


def random_days(shape: tuple[int, int, int], dtypes: list[type], seed: int = 0) -> list[Sketches]:
    positions, k, m = shape
    rng = np.random.default_rng(seed)
    days = []
    cells: NDArray[Any]
    for dtype in dtypes:
        most = min(np.iinfo(dtype).max, 2**28)
        cells = rng.integers(0, most, (positions + 1, k, m)).astype(dtype)
        days.append(Sketches(cells[0], cells[1:]))
    return days


def looked_up(family: Any, element: str, table: NDArray[Any], rows: range) -> int:
    return sum(int(table[row, family.bucket(element, row, table.shape[1])]) for row in rows)


@pytest.mark.parametrize("length", [2, 4, 6, 8, 10])
@pytest.mark.parametrize("dtypes", [[np.uint8], [np.uint8] * 3, [np.uint16, np.uint8], [np.uint32, np.uint16]], ids=str)
def test_fragments_of_every_position(length: int, dtypes: list[type]) -> None:
    mechanism = puzzle(("2", 600, 16), ("6", 600, 16), length)
    days = random_days((length // 2, 600, 16), dtypes)
    keys = fragment_keys("ab", mechanism.fragments.family)
    read_outs = read_fragments(mechanism, days, keys, 0, 600)
    assert read_outs.shape == (length // 2, 256 * 7)
    assert read_outs.dtype == np.int64
    for puzzle_byte, fragment in ((0, "aa"), (17, "b_"), (255, "__")):
        element = f"{puzzle_byte:02x}:{fragment}"
        for position in range(length // 2):
            cells = sum(day.fragments[position].astype(np.int64) for day in days)
            found = read_outs[position, puzzle_byte * 7 + keys.fragments.index(fragment)]
            assert found == looked_up(mechanism.fragments.family, element, cells, range(600))


def test_read_outs_are_those_of_the_records() -> None:
    mechanism = puzzle(("2", 32, 64), ("6", 16, 64), 4)
    rng = np.random.default_rng(3)
    days = [reported(mechanism, {"ab__": 300, "abba": 200}, rng) for _ in range(2)]
    sketches = [Sketches.count(mechanism, day) for day in days]
    keys = fragment_keys("ab", mechanism.fragments.family)
    read_outs = read_fragments(mechanism, sketches, keys, 0, 16)
    for place, stream in enumerate(("fragment-1", "fragment-3")):
        shards = [day[stream] for day in days]
        assert (read_outs[place] == mechanism.fragments.read_out(shards, keys.points, 0, 16).sum(axis=0)).all()
    words = all_words("ab", 4)
    points = mechanism.words.family.points(words)
    expected = mechanism.words.read_out([day["element"] for day in days], points, 0, 32)
    assert (read_words(mechanism, sketches, words) == expected).all()


def test_ranges_of_rows_add_up_and_days_too() -> None:
    mechanism = puzzle(("2", 8, 16), ("6", 700, 16), 6)
    days = random_days((3, 700, 16), [np.uint8, np.uint16])
    keys = fragment_keys("ab", mechanism.fragments.family)
    whole = read_fragments(mechanism, days, keys, 0, 700)
    bounds = [0, 1, 255, 255, 511, 700]
    parts = [read_fragments(mechanism, days, keys, *part) for part in pairwise(bounds)]
    assert (np.sum(parts, axis=0) == whole).all()
    by_day = [read_fragments(mechanism, [day], keys, 0, 700) for day in days]
    assert (np.sum(by_day, axis=0) == whole).all()


def test_rows_without_reports_are_not_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = puzzle(("2", 8, 16), ("6", 2048, 16), 4)
    (full,) = random_days((2, 2048, 16), [np.uint8])
    fragments = np.zeros_like(full.fragments)
    used = [3, 255, 256, 1999]
    fragments[0, used[:2]], fragments[1, used[2:]] = full.fragments[0, used[:2]], full.fragments[1, used[2:]]
    sparse = Sketches(full.words, fragments)
    keys = fragment_keys("ab", mechanism.fragments.family)
    asked: list[int] = []
    family = type(mechanism.fragments.family)
    hashed = family.buckets_of_rows

    def watched(self: Any, points: NDArray[Any], rows: NDArray[Any], m: int) -> NDArray[np.uint32]:
        asked.extend(rows.tolist())
        return hashed(self, points, rows, m)

    monkeypatch.setattr(family, "buckets_of_rows", watched)
    read_outs = read_fragments(mechanism, [sparse], keys, 0, 2048)
    assert sorted(asked) == used
    one_by_one = sum(read_fragments(mechanism, [sparse], keys, row, row + 1) for row in used)
    assert (read_outs == one_by_one).all()


@pytest.mark.parametrize(("k", "m", "most"), [(16, 2**16, 20e6), (2, 2**19, 40e6), (4096, 256, 20e6)])
def test_memory_is_for_a_few_rows_however_many_days(k: int, m: int, most: float) -> None:
    """8 positions in 16 bits: all rows of a day are 17 MB, and those of 30 days 500 MB."""
    mechanism = puzzle(("2", 8, 16), ("6", k, m), 16)
    days = random_days((8, k, m), [np.uint16]) * 30
    keys = fragment_keys("a", mechanism.fragments.family)
    tracemalloc.start()
    read_fragments(mechanism, days, keys, 0, k)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < most


def test_nothing_to_read() -> None:
    mechanism = puzzle(("2", 8, 16), ("6", 4, 16), 6)
    keys = fragment_keys("ab", mechanism.fragments.family)
    (day,) = random_days((3, 8, 16), [np.uint8])
    assert read_fragments(mechanism, [], keys, 0, 4).tolist() == np.zeros((3, len(keys))).tolist()
    assert not read_fragments(mechanism, [day], keys, 2, 2).any()
    assert read_words(mechanism, [], ["ab____"]).shape == (0, 1)
    assert read_words(mechanism, [day, day], []).shape == (2, 0)


@pytest.mark.parametrize(("start", "stop"), [(-1, 4), (0, 5), (3, 2)])
def test_rows_that_are_none_are_refused(start: int, stop: int) -> None:
    mechanism = puzzle(("2", 8, 16), ("6", 4, 16), 6)
    with pytest.raises(ParameterError, match="range"):
        read_fragments(mechanism, [], fragment_keys("ab", mechanism.fragments.family), start, stop)


def test_words_of_each_day() -> None:
    mechanism = puzzle(("2", 300, 16), ("6", 4, 16), 4)
    days = random_days((2, 300, 16), [np.uint8, np.uint32])
    words = ["a___", "abab", "zz__"]
    read_out = read_words(mechanism, days, words)
    expected = [[looked_up(mechanism.words.family, word, day.words, range(300)) for word in words] for day in days]
    assert read_out.tolist() == expected
