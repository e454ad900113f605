"""Sketches that are kept: the sums they hold, what they refuse, and that they travel."""

import json
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation import ParameterError, Sketch
from aggregation.encoding import sort_records
from aggregation.mechanisms import Mechanism
from tests.aggregation.helpers import count_mean, fragment_puzzle, hadamard_count_mean

pytestmark = pytest.mark.exact

WORDS = ["ab__", "cd__", "wxyz"]
EACH: list[Mechanism] = [count_mean("4", 8, 16), hadamard_count_mean("4", 8, 16), fragment_puzzle("2", "6")]
each = pytest.mark.parametrize("mechanism", EACH, ids=lambda mechanism: mechanism.algorithm)


def reports(mechanism: Mechanism, n: int, seed: int = 0) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(seed)
    return mechanism.privatize_fleet(WORDS, rng.integers(0, len(WORDS), n), rng)


def filled(mechanism: Mechanism, n: int, seed: int = 0) -> Sketch:
    sketch = Sketch(mechanism)
    sketch.add(mechanism.split(reports(mechanism, n, seed)))
    return sketch


@each
def test_a_sketch_reads_out_what_sorted_records_do(mechanism: Mechanism) -> None:
    parts = reports(mechanism, 500)
    shard, points = sort_records(mechanism.split(parts)["element"]), mechanism.points(WORDS)
    sketch = filled(mechanism, 500)
    expected = mechanism.read_out([shard], points, 0, mechanism.divisions)[0]
    assert mechanism.read_state(sketch.state, points).tolist() == expected.tolist()
    assert sketch.n == 500


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
def test_a_sketch_comes_back_from_its_bytes(mechanism: Mechanism) -> None:
    for n in (0, 1, 400):
        sketch = filled(mechanism, n)
        again = Sketch.from_bytes(sketch.to_bytes())
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
