"""Mistakes that public implementations of these mechanisms have made, each put beside what is done here.

Every check is a predicate that the code here satisfies and the mistaken code, written down for it, does not. Elsewhere,
with the mistaken code beside it as well: a client that spends another ε than it says, or leaks more, in `test_audit`
(``HalfTheEpsilon``, ``TwiceTheEpsilon`` and others), and about words and their fragments in `audit.test_fragments`;
pairwise hashing, and keys of 31 bits, in `test_hashing`.
"""

import hashlib
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import hadamard

from aggregation.encoding import sort_records
from aggregation.errors import ParameterError
from aggregation.mechanisms import CountMeanSketch, HadamardCountMeanSketch, SequenceFragmentPuzzle
from aggregation.mechanisms.sequence_fragment_puzzle import fragment_element
from aggregation.normalization import PAD, normalize
from aggregation.sketches import QuadraticM31, puzzle_byte, transform
from aggregation.sketches.quadratic import P, coordinates, evaluate, split_coefficients, split_points
from tests.aggregation.helpers import VECTORS, Z_MILLIONTH, count_mean, fragment_puzzle, hadamard_count_mean

Estimate = Callable[[NDArray[np.int64], int], NDArray[np.float64]]
N = 400_000


def scaled(own: HadamardCountMeanSketch, epsilon: float) -> Estimate:
    """The estimate with the c of some ε."""
    c = (np.exp(epsilon) + 1) / (np.exp(epsilon) - 1)

    def estimate(read_out: NDArray[np.int64], n: int) -> NDArray[np.float64]:
        result: NDArray[np.float64] = own.m / (own.m - 1) * (c * read_out - n / own.m)
        return result

    return estimate


@pytest.mark.statistical
@pytest.mark.parametrize(("epsilon", "factor"), [("1", 1.887), ("4", 1.266)])
def test_flipping_with_epsilon_but_correcting_for_half_of_it(epsilon: str, factor: float) -> None:
    """All report one element. Fixed seed; had it been drawn anew, the chance of a false alarm would be 1e-6."""
    own = hadamard_count_mean(epsilon, 16, 4096)
    records = own.privatize_fleet(["a"], np.zeros(N, int), np.random.default_rng(0))["element"]
    read_out = own.read_out([sort_records(records)], own.family.points(["a"]), 0, 16)[0]
    tolerance = Z_MILLIONTH * own.debiased.variance(np.array([float(N)]), N, float(N) ** 2)[0] ** 0.5

    def is_unbiased(estimate: Estimate) -> bool:
        return bool(abs(estimate(read_out, N)[0] - N) < tolerance)

    mistaken = scaled(own, float(epsilon) / 2)
    assert is_unbiased(own.debiased.estimate)
    assert is_unbiased(scaled(own, float(epsilon)))
    assert not is_unbiased(mistaken)
    assert mistaken(read_out, N)[0] / own.debiased.estimate(read_out, N)[0] == pytest.approx(factor, abs=0.002)


@pytest.mark.statistical
@pytest.mark.parametrize("epsilon", ["1", "4"])
def test_spending_half_of_epsilon(epsilon: str) -> None:
    """The server sees it too: what it reads out is smaller. Fixed seed; a chance of 1e-6 of a false alarm if drawn."""
    own = hadamard_count_mean(epsilon, 16, 64)
    points = own.family.points(["a"])

    def is_unbiased(client: HadamardCountMeanSketch) -> bool:
        records = client.privatize_fleet(["a"], np.zeros(N, int), np.random.default_rng(1))["element"]
        estimate = own.debiased.estimate(own.read_out([sort_records(records)], points, 0, 16)[0], N)
        return bool(abs(estimate[0] - N) < Z_MILLIONTH * own.debiased.variance(estimate, N, float(N) ** 2)[0] ** 0.5)

    assert is_unbiased(own)
    assert not is_unbiased(HadamardCountMeanSketch(own.epsilon / 2, 16, 64, own.family))


@pytest.mark.exact
@pytest.mark.parametrize("make", [count_mean, hadamard_count_mean])
def test_what_is_taken_off_an_estimate_is_a_share_of_all_reports(make: Any) -> None:
    """n/m is no integer, and n is the number of reports, not of hash functions.

    An element that all report, without noise: of bit vectors and of signs alike S = n, and the estimate has to be n.
    """
    n, k, m = 1001, 40, 8
    own = make("60", k, m)

    def is_right(estimate: Estimate) -> bool:
        return bool(abs(estimate(np.array([n]), n)[0] - n) < 1e-6)

    def with_integer_division(read_out: NDArray[np.int64], n: int) -> NDArray[np.float64]:
        return m / (m - 1) * (read_out - n // m).astype(float)

    def with_the_number_of_functions(read_out: NDArray[np.int64], _n: int) -> NDArray[np.float64]:
        return m / (m - 1) * (read_out.astype(float) - k / m)

    assert is_right(own.debiased.estimate)
    assert not is_right(with_integer_division)
    assert not is_right(with_the_number_of_functions)


@pytest.mark.exact
def test_folding_a_multiple_of_p_to_p() -> None:
    """What leaves p leaves bucket m - 1 in the place of bucket 0."""

    def folded(matrix: NDArray[np.float64], points: NDArray[np.float64], m: int) -> NDArray[Any]:
        sums = (matrix @ points.T - 2.0**52).astype(np.int64)
        for _ in range(2):
            sums = (sums & P) + (sums >> 31)
        return sums & m - 1

    def agree(evaluation: Callable[..., NDArray[Any]]) -> list[bool]:
        return [
            evaluation(
                split_coefficients(np.array([vector["a0_a1_b0_b1_c"]])),
                split_points(np.array([vector["x0_x1_y0_y1"]])),
                vector["m"],
            ).tolist()
            == [[vector["bucket"]]]
            for vector in VECTORS["arithmetic"]
        ]

    assert all(agree(evaluate))
    assert agree(folded) == [False, False, True], "both multiples of p, and only these"


@pytest.mark.exact
def test_fields_of_a_hash_without_a_separator() -> None:
    """Without it, the label and what follows could run into each other."""

    def run_together(seed: bytes, word: str) -> int:
        return hashlib.sha256(b"puzzle" + seed + word.encode()).digest()[0]

    def agrees(puzzle: Callable[[bytes, str], int]) -> bool:
        return all(
            puzzle(bytes.fromhex(vector["seed"]), vector["padded_word"]) == vector["puzzle"]
            for vector in VECTORS["puzzle"]
        )

    assert agrees(puzzle_byte)
    assert not agrees(run_together)
    without = int.from_bytes(hashlib.sha256(b"elementa").digest()[:8], "little")
    assert coordinates("a")[0] != (without & P) % P
    word = hashlib.sha512(b"element" + bytes(16) + bytes(4)).digest()[:8]
    assert QuadraticM31(bytes(16)).coefficients(0)[0] != int.from_bytes(word, "little") % P


@pytest.mark.exact
def test_a_fragment_key_without_a_separator() -> None:
    """Puzzle and fragment run together, and the end of a word unpadded: 1 and "2a" are then 12 and "a"."""
    letters = "0123456789abcdef:"
    fragments = [a + b for a in letters for b in letters + PAD]

    def tells_all_apart(key: Callable[[int, str], str]) -> bool:
        return len({key(puzzle, fragment) for puzzle in range(256) for fragment in fragments}) == 256 * len(fragments)

    def run_together(puzzle: int, fragment: str) -> str:
        return f"{puzzle}{fragment.rstrip(PAD)}"

    assert tells_all_apart(fragment_element)
    assert not tells_all_apart(run_together)
    assert not tells_all_apart(lambda puzzle, fragment: f"{puzzle:x}{fragment.rstrip(PAD)}")
    points = {vector["element"]: vector["x0_x1_y0_y1"] for vector in VECTORS["points"]}
    assert list(coordinates(fragment_element(0x61, "sp"))) == points["61:sp"]
    assert list(coordinates(run_together(0x61, "sp"))) != points["61:sp"]


@pytest.mark.exact
def test_a_word_hashed_without_its_pads_or_as_it_was_typed() -> None:
    """The server asks for padded words in lower case, and would not find these."""
    own = fragment_puzzle("60", "60", (64, 2**16), (64, 2**16), length=10)
    point = next(vector["x0_x1_y0_y1"] for vector in VECTORS["points"] if vector["element"] == "despacito_")

    def is_found(element_of: Callable[[str], str]) -> bool:
        element = element_of("Despacito")
        records = own.words.privatize_fleet([element], np.zeros(100, np.intp), np.random.default_rng(0))["element"]
        read_out = own.read_out([sort_records(records)], split_points(np.array([point])), 0, 64)
        return int(read_out[0, 0]) == 100

    assert is_found(lambda text: normalize("word", text, length=own.length) or "")
    assert not is_found(lambda text: text)
    assert not is_found(lambda text: text.lower())
    assert not is_found(lambda text: text.ljust(10, PAD))
    for element in ("Despacito", "despacito"):
        with pytest.raises(ParameterError):
            own.privatize(element)


@pytest.mark.statistical
def test_flipping_fragments_with_epsilon_for_half_of_it() -> None:
    """They would be counted too often. Fixed seed; had it been drawn anew, the chance of a false alarm would be 1e-6.

    That such a client leaks more than ε + ε' is found by the audit.
    """
    own, n = fragment_puzzle("2", "4", (16, 256), (16, 256), length=2), 100_000
    points = own.fragments.family.points([own.fragment_of("ab", 1)])

    def is_unbiased(client: SequenceFragmentPuzzle) -> bool:
        parts = client.privatize_fleet(["ab"], np.zeros(n, np.intp), np.random.default_rng(0))
        records = sort_records(client.split(parts)["fragment-1"])
        estimate = own.fragments.debiased.estimate(own.fragments.read_out([records], points, 0, 16)[0], n)
        tolerance = Z_MILLIONTH * own.fragments.debiased.variance(np.array([float(n)]), n, float(n) ** 2)[0] ** 0.5
        return bool(abs(estimate[0] - n) < tolerance)

    twice = CountMeanSketch(own.fragments.epsilon * 2, 16, 256, own.fragments.family)
    assert is_unbiased(own)
    assert not is_unbiased(SequenceFragmentPuzzle(own.words, twice, 2))


@pytest.mark.exact
def test_transforming_by_the_full_matrix() -> None:
    """It has m² entries; at m = 32768, as deployed, that is 8 GB, and here as much for its size."""
    m = 2048
    table = np.ones((1, m), np.int64)

    def is_small(function: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> bool:
        tracemalloc.start()
        function(table)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak < 16 * table.nbytes

    assert is_small(transform)
    assert not is_small(lambda rows: rows @ hadamard(m))


@pytest.mark.exact
def test_variants_of_an_emoji_counted_apart() -> None:
    variants = ["\u2764", "\u2764\ufe0f", "\u2764\ufe0e"]

    def are_one(function: Callable[[str], str | None]) -> bool:
        return len({coordinates(function(variant) or "") for variant in variants}) == 1

    assert are_one(lambda text: normalize("emoji", text))
    assert not are_one(lambda text: normalize("raw", text))


@pytest.mark.exact
def test_joined_emoji_cut_apart() -> None:
    family, flag = "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f3f3\ufe0f\u200d\U0001f308"

    def stay_whole(function: Callable[[str], str | None]) -> bool:
        return [function(family), function(flag)] == [family, flag.replace("\ufe0f", "")]

    assert stay_whole(lambda text: normalize("emoji", text))
    assert not stay_whole(lambda text: (normalize("emoji", text) or "").split("\u200d")[0])
    assert not stay_whole(lambda text: (normalize("emoji", text) or "")[:1])
