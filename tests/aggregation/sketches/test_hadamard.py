"""The fast transform against the matrix itself."""

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.linalg import hadamard

from aggregation.errors import ParameterError
from aggregation.sketches import are_negative, sign, transform
from aggregation.sketches import hadamard as own

pytestmark = pytest.mark.exact

SIZES = [2**bits for bits in range(1, 12)]


def test_it_is_the_product_with_the_matrix() -> None:
    for m, rows in product([1, *SIZES], [0, 1, 3, 200]):
        table = np.random.default_rng(m).integers(-9, 10, (rows, m), dtype=np.int32)
        before = table.copy()
        result = transform(table)
        assert result.dtype == np.int32
        # As floats, which hold such sums exactly and are multiplied a hundred times as fast.
        assert (result == table.astype(float) @ hadamard(m).astype(float)).all(), (m, rows)
        assert (table == before).all(), (m, rows)


@pytest.mark.parametrize("block_bytes", [1, 1000, 2**18])
@pytest.mark.parametrize("shortest_run", [1, 4, 4096])
def test_blocks_and_runs_of_any_size(block_bytes: int, shortest_run: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "_BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(own, "_SHORTEST_RUN", shortest_run)
    table = np.random.default_rng(0).integers(-9, 10, (13, 64), dtype=np.int16)
    assert (transform(table) == table @ hadamard(64)).all()


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64])
def test_sums_up_to_the_types_largest_number_are_exact(dtype: Any) -> None:
    """One number, many that all point one way, and many that cancel: the largest sums there can be."""
    largest, m = int(np.iinfo(dtype).max), 256
    table = np.zeros((4, m), dtype)
    table[0, 5] = largest
    table[1] = largest // m
    table[2] = -(largest // m) * hadamard(m)[77]
    table[3, :2] = largest // 2, -(largest // 2)
    expected = table.astype(object) @ hadamard(m).astype(object)
    assert abs(expected).max() <= largest
    assert abs(expected[1:3]).max() == largest // m * m
    assert (transform(table) == expected).all()


def test_numbers_that_floats_would_round() -> None:
    table = np.array([[2**60 + 1, 2**58 + 1, -(2**57) - 1, 1]])
    assert transform(table).tolist() == (table.astype(object) @ hadamard(4).astype(object)).tolist()


def test_strided_and_transposed_tables() -> None:
    table = np.random.default_rng(1).integers(-9, 10, (64, 20), dtype=np.int32)
    assert (transform(table.T) == table.T @ hadamard(64)).all()
    assert (transform(table[::2].T) == table[::2].T @ hadamard(32)).all()


def test_entries() -> None:
    matrix = hadamard(64)
    a, b = np.meshgrid(np.arange(64, dtype=np.uint32), np.arange(64, dtype=np.uint32), indexing="ij")
    assert (np.where(are_negative(a, b), -1, 1) == matrix).all()
    assert [[sign(a, b) for b in range(64)] for a in range(64)] == matrix.tolist()
    assert sign(2**20 - 1, 2**20 - 1) == 1
    assert sign(2**19 - 1, 2**20 - 1) == -1


def test_the_full_matrix_is_never_made() -> None:
    """As integers of 8 bytes it would take 8 GB at this size, the reason why other implementations fail there."""
    table = np.zeros((2, 32768), np.int32)
    table[:, 77] = 3, -5
    tracemalloc.start()
    result = transform(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * table.nbytes
    entries = np.where(are_negative(np.full(32768, 77, np.uint32), np.arange(32768, dtype=np.uint32)), -1, 1)
    assert (result == np.outer([3, -5], entries)).all()


@pytest.mark.parametrize("m", [0, 3, 12, 1000])
def test_other_sizes_are_refused(m: int) -> None:
    with pytest.raises(ParameterError, match="power of two"):
        transform(np.zeros((1, m), np.int32))
