"""The sketches of a day against a count of its records, and what becomes of them when they are kept."""

import numpy as np
import pytest

from aggregation.discovery import Sketches
from aggregation.encoding import join_records, sort_records
from aggregation.errors import ParameterError
from tests.aggregation.discovery.helpers import puzzle, reported
from tests.aggregation.helpers import naive_sketch

pytestmark = pytest.mark.exact

SMALL = puzzle(("2", 8, 16), ("6", 4, 32), 6)


def test_every_stream_has_its_sketch() -> None:
    day = reported(SMALL, {"abc___": 50, "hello_": 70}, np.random.default_rng(0))
    sketches = Sketches.count(SMALL, day)
    assert (sketches.words == naive_sketch(day["element"], 8, 16)).all()
    assert sketches.fragments.shape == (3, 4, 32)
    for place, position in enumerate((1, 3, 5)):
        assert (sketches.fragments[place] == naive_sketch(day[f"fragment-{position}"], 4, 32)).all()


def test_days_add() -> None:
    rng = np.random.default_rng(1)
    days = [reported(SMALL, {"abc___": 30, "hello_": 10 * day}, rng) for day in range(3)]
    whole = {name: sort_records(join_records([day[name] for day in days])) for name in SMALL.streams}
    sum_of_days = sum(Sketches.count(SMALL, day).flat().astype(np.int64) for day in days)
    assert (Sketches.count(SMALL, whole).flat() == sum_of_days).all()


def test_a_stream_without_records_may_be_missing() -> None:
    day = reported(SMALL, {"abc___": 50}, np.random.default_rng(0))
    words = day["element"]
    assert (Sketches.count(SMALL, {"element": words}).words == naive_sketch(words, 8, 16)).all()
    assert not Sketches.count(SMALL, {"element": words}).fragments.any()
    nothing = Sketches.count(SMALL, {})
    assert nothing.flat().shape == (8 * 16 + 3 * 4 * 32,)
    assert not nothing.flat().any()


@pytest.mark.parametrize(
    ("reports", "dtype"), [(0, np.uint8), (255, np.uint8), (256, np.uint16), (65_535, np.uint16), (65_536, np.uint32)]
)
@pytest.mark.parametrize("stream", ["element", "fragment-3"])
def test_all_cells_are_of_the_narrowest_type_that_holds_any(stream: str, reports: int, dtype: type) -> None:
    records = np.zeros(reports, SMALL.record_dtype(stream))
    records["bits"][:, 0] = 0x80
    sketches = Sketches.count(SMALL, {stream: records})
    assert sketches.words.dtype == sketches.fragments.dtype == sketches.flat().dtype == dtype
    assert sketches.flat().max() == reports


def test_kept_and_taken_out_again() -> None:
    sketches = Sketches.count(SMALL, reported(SMALL, {"abc___": 50}, np.random.default_rng(0)))
    cells = sketches.flat()
    again = Sketches.from_flat(SMALL, cells)
    assert (again.words == sketches.words).all()
    assert (again.fragments == sketches.fragments).all()
    assert np.shares_memory(again.words, cells)
    assert np.shares_memory(again.fragments, cells)


@pytest.mark.parametrize("size", [0, 8 * 16 + 3 * 4 * 32 - 1, 8 * 16 + 3 * 4 * 32 + 1])
def test_cells_of_another_size_are_refused(size: int) -> None:
    with pytest.raises(ParameterError, match="cells"):
        Sketches.from_flat(SMALL, np.zeros(size, np.uint8))
    with pytest.raises(ParameterError, match="cells"):
        Sketches.from_flat(SMALL, np.zeros((8 * 16 + 3 * 4 * 32, 1), np.uint8))
