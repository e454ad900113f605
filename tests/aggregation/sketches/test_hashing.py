"""The hash family against the exact values every client must reproduce, and its two ways to compute."""

import hashlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from aggregation.errors import ParameterError
from aggregation.sketches import HASH_FAMILIES, QuadraticM31, puzzle_byte
from aggregation.sketches.quadratic import (
    bucket_of,
    coordinates,
    coordinates_of,
    draw_coefficients,
    evaluate,
    evaluate_pairs,
    split_coefficients,
    split_points,
)
from tests.aggregation.helpers import BUCKETS, VECTORS, TableFamily

P = 2**31 - 1


def family(vector: dict[str, str]) -> QuadraticM31:
    return QuadraticM31(bytes.fromhex(vector["seed"]), vector["label"])


@pytest.mark.exact
def test_points() -> None:
    assert VECTORS["p"] == P
    for vector in VECTORS["points"]:
        assert list(coordinates(vector["element"])) == vector["x0_x1_y0_y1"]
    elements = [vector["element"] for vector in VECTORS["points"]]
    assert coordinates_of(elements).tolist() == [vector["x0_x1_y0_y1"] for vector in VECTORS["points"]]


@pytest.mark.exact
def test_points_in_bulk_equal_points_one_by_one() -> None:
    elements = ["", "\u2764", *(f"host-{i}.example" for i in range(20_000))]
    assert coordinates_of(elements).tolist() == [list(coordinates(element)) for element in elements]
    assert coordinates_of([]).shape == (0, 4)


@pytest.mark.exact
def test_points_at_the_edges_of_the_field(monkeypatch: pytest.MonkeyPatch) -> None:
    """p itself must become 0, and the greatest products must not overflow; no text hashes there on purpose."""
    edges = [0, 1, P - 1, P]
    words = [x0 | x1 << 31 | top << 62 for x0 in edges for x1 in edges for top in (0, 3)]

    class Digest:
        def __init__(self, message: bytes) -> None:
            self.place = int(message.removeprefix(b"element\x00"))

        def digest(self) -> bytes:
            return words[self.place].to_bytes(8, "little") + bytes(24)

    monkeypatch.setattr("aggregation.sketches.quadratic.hashlib.sha256", Digest)
    elements = [str(place) for place in range(len(words))]
    assert coordinates_of(elements).tolist() == [list(coordinates(element)) for element in elements]
    assert coordinates_of(elements[-1:]).tolist() == [[0, 0, 0, 0]]


@pytest.mark.exact
def test_rows() -> None:
    for vector in VECTORS["rows"]:
        assert list(family(vector).coefficients(vector["j"])) == vector["a0_a1_b0_b1_c"]


@pytest.mark.exact
def test_buckets_of_the_device_and_of_the_server() -> None:
    for vector in BUCKETS:
        own, j, m, element = family(vector), vector["j"], vector["m"], vector["element"]
        points = own.points([element])
        assert own.bucket(element, j, m) == vector["bucket"]
        assert own.buckets(points, j, j + 1, m).tolist() == [[vector["bucket"]]]
        assert own.buckets_of_pairs(points, np.array([0]), np.array([j]), m).tolist() == [vector["bucket"]]


@pytest.mark.exact
@pytest.mark.parametrize("vector", VECTORS["arithmetic"], ids=lambda vector: vector["why"])
def test_a_multiple_of_p_folds_to_zero_not_to_p(vector: dict[str, Any]) -> None:
    coefficients, point, m = vector["a0_a1_b0_b1_c"], vector["x0_x1_y0_y1"], vector["m"]
    matrix, points = split_coefficients(np.array([coefficients])), split_points(np.array([point]))
    assert bucket_of(coefficients, point, m) == vector["bucket"]
    assert evaluate(matrix, points, m).tolist() == [[vector["bucket"]]]
    assert evaluate_pairs(matrix, points, m).tolist() == [vector["bucket"]]


@pytest.mark.exact
@pytest.mark.parametrize("m", [2, 3, 8, 56, 1024, 2982, 65_535, 2**20])
def test_matrix_products_equal_plain_integers(m: int) -> None:
    rng = np.random.default_rng(0)
    edges = [0, 1, 2**16 - 1, 2**16, P - 2, P - 1]
    rows = np.concatenate([rng.integers(0, P, (60, 5)), rng.choice(edges, (60, 5))])
    xy = np.concatenate([rng.integers(0, P, (60, 4)), rng.choice(edges, (60, 4))])
    expected = [[bucket_of(row, point, m) for point in xy.tolist()] for row in rows.tolist()]
    assert evaluate(split_coefficients(rows), split_points(xy), m).tolist() == expected
    diagonal = [line[i] for i, line in enumerate(expected)]
    assert evaluate_pairs(split_coefficients(rows), split_points(xy), m).tolist() == diagonal


@pytest.mark.exact
@pytest.mark.parametrize(("rows", "elements"), [(0, 3), (3, 0), (3, 40_000), (70_000, 2)])
def test_products_in_parts_are_those_of_each_row_and_point(rows: int, elements: int) -> None:
    """As many rows, or elements, as make several parts."""
    rng = np.random.default_rng(5)
    matrix = split_coefficients(rng.integers(0, P, (rows, 5)))
    points = split_points(rng.integers(0, P, (elements, 4)))
    found = evaluate(matrix, points, 1024)
    assert found.shape == (rows, elements)
    for row in range(rows) if rows <= elements else ():
        assert (found[row] == evaluate_pairs(matrix[[row] * elements], points, 1024)).all()
    for place in range(elements) if elements < rows else ():
        assert (found[:, place] == evaluate_pairs(matrix, points[[place] * rows], 1024)).all()


@pytest.mark.exact
def test_rows_may_be_any_and_cross_the_cached_blocks() -> None:
    own, m = QuadraticM31(bytes(16)), 64
    points = own.points(["a", "b", "c"])
    rows = np.array([0, 5, 1022, 1023, 1024, 1025, 5000])
    expected = [[own.bucket(element, int(row), m) for element in "abc"] for row in rows]
    assert own.buckets_of_rows(points, rows, m).tolist() == expected
    assert own.buckets(points, 1022, 1026, m).tolist() == expected[2:6]
    index = np.array([2, 0, 1, 1, 2, 0, 0])
    assert own.buckets_of_pairs(points, index, rows, m).tolist() == [expected[i][j] for i, j in enumerate(index)]


@pytest.mark.exact
def test_a_family_in_its_place_needs_no_more_than_buckets() -> None:
    rng = np.random.default_rng(1)
    own = TableFamily(list("abcd"), rng.integers(0, 16, (9, 4), dtype=np.uint32))
    points = own.points(list("dbca"))
    rows = np.array([0, 1, 2, 4, 8])
    assert (own.buckets_of_rows(points, rows, 16) == own.table[rows][:, points]).all()
    assert own.buckets_of_rows(points, rows[:0], 16).shape == (0, 4)
    index, pairs = rng.integers(0, 4, 50), rng.integers(0, 9, 50)
    assert (own.buckets_of_pairs(points, index, pairs, 16) == own.table[pairs, points[index]]).all()


@pytest.mark.exact
def test_no_two_of_250_000_domains_share_a_key() -> None:
    """31 bits alone would leave about 15 pairs inseparable for good."""
    keys = coordinates_of(f"host-{i}.example" for i in range(250_000))[:, :2]
    assert len(np.unique(keys, axis=0)) == len(keys)
    assert len(np.unique(keys[:, 0])) < len(keys)


@pytest.mark.exact
def test_labels_and_seeds_give_different_families() -> None:
    families = [QuadraticM31(bytes(16)), QuadraticM31(bytes(16), "fragment"), QuadraticM31(b"\x01" + bytes(15))]
    assert len({own.coefficients(0) for own in families}) == 3


@pytest.mark.exact
def test_puzzle_bytes() -> None:
    for vector in VECTORS["puzzle"]:
        assert puzzle_byte(bytes.fromhex(vector["seed"]), vector["padded_word"]) == vector["puzzle"]


@pytest.mark.exact
def test_no_element_and_no_row() -> None:
    own = QuadraticM31(bytes(16))
    assert own.buckets(own.points([]), 0, 3, 8).shape == (3, 0)
    assert own.buckets(own.points(["a"]), 3, 3, 8).shape == (0, 1)


@pytest.mark.exact
def test_a_wrong_seed_or_label_is_named() -> None:
    for field, seed, label in (("seed", b"short", "element"), ("label", bytes(16), "elements")):
        with pytest.raises(ParameterError) as caught:
            QuadraticM31(seed, label)
        assert caught.value.field == field
    assert HASH_FAMILIES["quadratic-m31-v1"](bytes(16), "element") == QuadraticM31(bytes(16))


@pytest.mark.exact
def test_a_lone_surrogate_has_no_point() -> None:
    with pytest.raises(UnicodeEncodeError):
        QuadraticM31(bytes(16)).points(["\ud800"])
    assert hashlib.sha256(b"element\x00a").digest()[:1] == bytes([coordinates("a")[0] & 255])


@pytest.mark.statistical
def test_three_elements_in_a_line_meet_no_more_often_than_others() -> None:
    """Three-wise independence, which pairwise hashing lacks: the variance of estimates rests on it.

    Fixed seed; had it been drawn anew, the chance of a false alarm would be 1e-6.
    """
    rows, m = 20_000, 8
    x = [((start + 5 * step) % P, (7 * start + 11 * step) % P) for start in (123_456_789,) for step in range(3)]
    xy = np.array([(x0, x1, (x0 * x0 - x1 * x1) % P, 2 * x0 * x1 % P) for x0, x1 in x])
    coefficients = draw_coefficients(bytes(16), "element", range(rows))
    low, high = binom.ppf([5e-7, 1 - 5e-7], rows, 1 / m**2)

    def meetings(drawn: NDArray[np.int64]) -> int:
        buckets = evaluate(split_coefficients(drawn), split_points(xy), m)
        return int((buckets == buckets[:, :1]).all(axis=1).sum())

    assert low <= meetings(coefficients) <= high
    assert meetings(coefficients * np.array([1, 1, 0, 0, 1])) > high, "linear hashing must fail, else this could not"
