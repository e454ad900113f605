"""Sketches that are kept: the sums they hold, what they refuse, and that they travel."""

import json
from copy import deepcopy
from hashlib import sha256
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from aggregation import ParameterError, Sketch, discover, mechanism_for
from aggregation.encoding import sort_records
from aggregation.mechanisms import MECHANISMS, Mechanism, SubsetSelection
from tests.aggregation.helpers import (
    UNHURRIED,
    count_mean,
    fragment_puzzle,
    hadamard_count_mean,
    local_hashing,
    sampled_puzzle,
)

pytestmark = pytest.mark.exact

WORDS = ["ab__", "cd__", "wxyz"]
SUBSETS = SubsetSelection.from_parameters(SubsetSelection.for_dictionary({"epsilon": 2}, WORDS)).with_dictionary(WORDS)
EACH: list[Mechanism] = [
    count_mean("4", 8, 16),
    hadamard_count_mean("4", 8, 16),
    local_hashing("4", 8, 16),
    SUBSETS,
    fragment_puzzle("2", "6"),
    sampled_puzzle("4"),
]
each = pytest.mark.parametrize("mechanism", EACH, ids=lambda mechanism: mechanism.algorithm)


def reports(mechanism: Mechanism, n: int, seed: int = 0) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(seed)
    return mechanism.privatize_fleet(WORDS, rng.integers(0, len(WORDS), n), rng)


def filled_with(mechanism: Mechanism, streams: dict[str, NDArray[Any]], elements: list[str] | None) -> Sketch:
    sketch = Sketch(mechanism, elements)
    sketch.add(streams)
    return sketch


def filled(mechanism: Mechanism, n: int, seed: int = 0, elements: list[str] | None = None) -> Sketch:
    return filled_with(mechanism, mechanism.split(reports(mechanism, n, seed)), elements)


def test_every_mechanism_is_tried() -> None:
    assert {mechanism.algorithm for mechanism in EACH} == set(MECHANISMS)


@each
def test_a_sketch_reads_out_what_sorted_records_do(mechanism: Mechanism) -> None:
    streams, points = mechanism.split(reports(mechanism, 500)), mechanism.points(WORDS)
    expected = sum(
        mechanism.read_out([sort_records(streams[stream])], points, 0, mechanism.divisions, stream)[0]
        for stream in mechanism.report_streams
    )
    of_all, of_words = filled(mechanism, 500), filled(mechanism, 500, elements=WORDS)
    assert of_all.counts(WORDS).tolist() == of_words.counts(WORDS).tolist() == np.asarray(expected).tolist()
    assert of_words.counts(WORDS[1:2]).tolist() == of_all.counts(WORDS[1:2]).tolist()
    assert of_all.n == of_words.n == 500


def merged(*parts: Sketch) -> Sketch:
    total = Sketch(parts[0].mechanism, parts[0].elements)
    for part in parts:
        total.merge(part)
    return total


@each
@settings(UNHURRIED, max_examples=5)
@given(
    ends=st.lists(st.integers(0, 60), min_size=2, max_size=5).map(sorted),
    order=st.randoms(use_true_random=False),
    elements=st.sampled_from([None, WORDS]),
)
def test_merging_is_associative_and_commutative(
    mechanism: Mechanism, ends: list[int], order: Any, elements: list[str] | None
) -> None:
    streams = mechanism.split(reports(mechanism, 60))
    cuts = [0, *ends, 60]
    parts = [
        filled_with(mechanism, {name: records[start:stop] for name, records in streams.items()}, elements)
        for start, stop in pairwise(cuts)
    ]
    parts.append(filled_with(mechanism, {name: records[60:] for name, records in streams.items()}, elements))
    left = merged(*parts)
    order.shuffle(parts)
    right = merged(parts[0], merged(*parts[1:]))
    assert left == right == filled_with(mechanism, streams, elements)
    assert left.to_bytes() == right.to_bytes()


def test_a_sketch_of_given_elements_answers_for_no_others() -> None:
    of_words = filled(EACH[0], 10, elements=WORDS)
    with pytest.raises(ParameterError, match="no counts of 'moon'"):
        of_words.counts(["moon"])
    for elements in (None, WORDS[:2], WORDS[::-1]):
        with pytest.raises(ParameterError, match="same elements"):
            of_words.merge(Sketch(EACH[0], elements))
    with pytest.raises(ParameterError, match="twice"):
        Sketch(EACH[0], ["a", "a"])
    with pytest.raises(ParameterError, match="not a text"):
        Sketch(EACH[0], "ab")
    with pytest.raises(ParameterError, match="given elements"):
        discover(Sketch(fragment_puzzle("2", "6"), WORDS), "abcdwxyz")


def test_cells_that_are_too_many_for_memory_can_be_counted_of_given_elements() -> None:
    large = mechanism_for("LocalHashing", {"epsilon": 4, "k": 2**16, "g": 2**16, "seed": "07" * 16})
    with pytest.raises(ParameterError, match="kept in memory"):
        Sketch(large)
    sketch = Sketch(large, WORDS)
    sketch.update([large.privatize("ab__")])
    assert sketch.n == 1


@each
def test_lines_records_and_merged_parts_make_one_sketch(mechanism: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aggregation.collected._LINES", 64)
    lines, whole = mechanism.format_records(reports(mechanism, 300)), filled(mechanism, 300)
    by_lines, left, right = Sketch(mechanism), Sketch(mechanism), Sketch(mechanism)
    by_lines.update(line for line in reversed(lines))
    left.update(lines[:100])
    left.update([])
    right.update(lines[100:])
    before = right.to_bytes()
    left.merge(right)
    assert by_lines == left == whole
    assert right.to_bytes() == before
    assert whole != filled(mechanism, 300, seed=1)
    assert whole.to_bytes() == left.to_bytes()


@each
@pytest.mark.parametrize("elements", [None, WORDS], ids=["of all", "of words"])
def test_a_sketch_comes_back_from_its_bytes(mechanism: Mechanism, elements: list[str] | None) -> None:
    for n in (0, 1, 400):
        sketch = filled(mechanism, n, elements=elements)
        again: Sketch = deepcopy(sketch)  # by its bytes
        assert (again, again.n, again.sizes) == (sketch, n, sketch.sizes)
        again.update([mechanism.privatize(WORDS[0])])
        assert again.n == n + 1


@each
def test_a_bad_line_leaves_all_as_it_was(mechanism: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aggregation.collected._LINES", 64)
    sketch = filled(mechanism, 10)
    before = sketch.to_bytes()
    lines = [*mechanism.format_records(reports(mechanism, 150)), "secret"]
    with pytest.raises(ParameterError, match="Record 150 cannot be counted: malformed_record"):
        sketch.update(lines)
    with pytest.raises(ParameterError, match="not a text"):
        sketch.update(lines[0])
    assert sketch.to_bytes() == before


def test_sketches_of_other_mechanisms_are_not_merged() -> None:
    sketch = filled(EACH[0], 10)
    others = [count_mean("4.5", 8, 16), count_mean("4", 8, 32), count_mean("4", 8, 16, seed=1), EACH[1]]
    for other in others:
        with pytest.raises(ParameterError, match="equal mechanisms"):
            sketch.merge(Sketch(other))
    assert sketch == filled(EACH[0], 10)


def test_cells_cannot_overflow() -> None:
    sketch, other = filled(EACH[0], 10), filled(EACH[0], 10)
    other.sizes["element"] = 2**31 - 10
    with pytest.raises(ParameterError, match="at most 2147483647 reports"):
        sketch.merge(other)
    assert sketch == filled(EACH[0], 10)


def test_an_unknown_stream_is_refused() -> None:
    with pytest.raises(ParameterError, match="no stream 'fragment'"):
        filled(EACH[0], 0).add({"fragment": np.empty(1, EACH[0].record_dtype("element"))})


def sealed(header: object, cells: bytes) -> bytes:
    """Bytes whose digest is right, whatever they say."""
    content = b"ldpsketch 1\n" + json.dumps(header).encode() + b"\n" + cells
    return content + sha256(content).digest()


GOOD = {
    "algorithm": "CountMeanSketch",
    "parameters": EACH[0].encoded_parameters(),
    "sizes": {"element": 3},
    "dtype": "|u1",
}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no sketch"),
        (filled(EACH[0], 3).to_bytes()[:-1], "no sketch"),
        (filled(EACH[0], 3).to_bytes().replace(b'"k": 8', b'"k": 9'), "no sketch"),
        (sealed([], b""), "cannot be read"),
        (sealed({**GOOD, "sizes": {}}, bytes(128)), "does not fit"),
        (sealed({**GOOD, "dtype": "O"}, bytes(128)), "does not fit"),
        (sealed({**GOOD, "dtype": ["|u1"]}, bytes(128)), "does not fit"),
        (sealed({**GOOD, "sizes": {"element": -1}}, bytes(128)), "no numbers of records"),
        (sealed(GOOD, bytes(127)), "not as many sums"),
        (sealed({**GOOD, "elements": ["a"]}, bytes(128)), "not as many sums"),
        (sealed({**GOOD, "elements": ["a"]}, b"\4"), "larger than its records"),
        (sealed({**GOOD, "elements": [1]}, bytes(1)), "no texts"),
        (sealed({**GOOD, "elements": ["a", "a"]}, bytes(2)), "not different"),
        (sealed(GOOD, bytes(127) + b"\4"), "larger than its records"),
        (sealed({**GOOD, "algorithm": "Other"}, bytes(128)), "no algorithm 'Other'"),
        (sealed({**GOOD, "parameters": {}}, bytes(128)), "missing"),
        (sealed({**GOOD, "parameters": None}, bytes(128)), "names no mechanism"),
    ],
)
def test_bytes_that_are_no_sketch_are_refused(content: bytes, message: str) -> None:
    assert Sketch.from_bytes(sealed(GOOD, bytes(127) + b"\3")).n == 3
    with pytest.raises(ParameterError, match=message):
        Sketch.from_bytes(content)
