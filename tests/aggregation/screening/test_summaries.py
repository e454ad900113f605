"""Results of one pass in blocks, beside the plain way over all records at once."""

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.encoding import pack_coordinates, sort_records
from aggregation.screening import Occupied, summaries, summarize_coordinates, summarize_vectors
from tests.aggregation.helpers import random_records

pytestmark = pytest.mark.exact


@pytest.fixture(params=["one block", "many blocks", "a file"])
def stored(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A way to hand records over: at once, in blocks of a few, mapped."""
    if request.param != "one block":
        monkeypatch.setattr(summaries, "_BLOCK_BYTES", 100)
        monkeypatch.setattr(summaries, "_HELD_BLOCKS", 3)

    def store(records: NDArray[Any]) -> NDArray[Any]:
        if request.param != "a file":
            return records
        np.save(tmp_path / "records.npy", records)
        mapped: NDArray[Any] = np.load(tmp_path / "records.npy", mmap_mode="r")
        return mapped

    return store


def as_dict(occupied: Occupied) -> dict[int, int]:
    assert (np.diff(occupied.index) > 0).all()
    return dict(zip(occupied.index.tolist(), occupied.count.tolist(), strict=True))


@pytest.mark.parametrize("m", [8, 16, 32, 64, 256])
@pytest.mark.parametrize("n", [1, 2, 300])
def test_vectors(m: int, n: int, stored: Any) -> None:
    records = random_records(np.random.default_rng(m + n), n, 20, m, 0.1)
    records = sort_records(np.concatenate([records, records[: n // 3], records[:1], records[:1]]).astype(records.dtype))
    found = summarize_vectors(stored(records), m)
    texts = Counter(record.tobytes() for record in records)
    weights = np.unpackbits(records["bits"], axis=1).sum(axis=1)
    assert found.n == len(records)
    assert found.ones.tolist() == np.bincount(weights, minlength=m + 1).tolist()
    assert as_dict(found.rows) == Counter(records["row"].tolist())
    assert found.repeats == len(records) - len(texts)
    assert found.most_repeated == max(texts.values())


@pytest.mark.parametrize("n", [1, 2, 500])
def test_coordinates(n: int, stored: Any) -> None:
    rng = np.random.default_rng(n)
    rows, chosen = rng.integers(0, 30, n), rng.integers(0, 8, n)
    positive = rng.random(n) < 0.8
    found = summarize_coordinates(stored(sort_records(pack_coordinates(rows, chosen, positive, 8))), 8)
    cells = Counter(zip(rows.tolist(), chosen.tolist(), strict=True))
    assert found.n == n
    assert as_dict(found.rows) == Counter(rows.tolist())
    assert as_dict(found.coordinates) == Counter(chosen.tolist())
    assert (found.cells, found.fullest_cell) == (len(cells), max(cells.values()))
    assert (found.origin, found.origin_minus) == ((chosen == 0).sum(), ((chosen == 0) & ~positive).sum())
    signs: dict[tuple[int, int], list[bool]] = {cell: [] for cell in cells}
    for row, coordinate, sign in zip(rows.tolist(), chosen.tolist(), positive.tolist(), strict=True):
        signs[row, coordinate].append(sign)
    several = [own for own in signs.values() if len(own) > 1]
    agreeing = [np.mean([a == b for a, b in itertools.combinations(own, 2)]) * (len(own) // 2) for own in several]
    assert found.pairs.pairs == sum(len(own) // 2 for own in several)
    assert found.pairs.agreeing == pytest.approx(sum(agreeing))
