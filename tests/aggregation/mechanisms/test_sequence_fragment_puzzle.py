"""Sequence Fragment Puzzle: what a report says, bit by bit, and how it is stored. Finding words is tested elsewhere."""

import hashlib
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from aggregation.encoding import sort_records
from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS, CountMeanSketch, SequenceFragmentPuzzle, mechanism_for
from aggregation.mechanisms.sequence_fragment_puzzle.encoding import parse_fragments
from aggregation.registry import fragment_element
from aggregation.sketches import QuadraticM31
from aggregation.sketches.quadratic import coordinates
from tests.aggregation.helpers import BUCKETS, VECTORS, TableFamily, count_mean, fragment_puzzle

pytestmark = pytest.mark.exact

SEED = bytes(range(16))
WORDS = ["wyd_______", "despacito_", "mayweather", "caf\u00e9______", "o'clock___"]
# Each bit of these is what it is without noise: a flip has a chance of 2^-43.
NOISELESS = fragment_puzzle("60", "60", (32, 256), (16, 512), length=10, seed=SEED)
PARAMETERS: dict[str, Any] = {
    "epsilon": 2,
    "k": 2048,
    "m": 1024,
    "fragment_epsilon": 6,
    "fragment_k": 512,
    "fragment_m": 256,
    "length": 10,
    "seed": SEED.hex(),
}


def parts_of(mechanism: SequenceFragmentPuzzle, lines: list[str]) -> dict[str, Any]:
    """The parts of reports with the link between them, which `parse_records` does not keep."""
    shapes = [(sketch.k, sketch.m) for sketch in (mechanism.fragments, mechanism.words)]
    parts, rejected = parse_fragments(lines, mechanism.positions, shapes[0], shapes[1])
    assert not rejected
    return parts


def hot_bit(record: Any) -> int:
    (place,) = np.flatnonzero(np.unpackbits(record["bits"]))
    return int(place)


def assert_says(parts: dict[str, Any], place: int, word: str) -> None:
    """Check a report without noise against the report format, by hash functions written down here."""
    position = int(parts["position"][place])
    puzzle = hashlib.sha256(b"puzzle\x00" + SEED + word.encode()).hexdigest()[:2]
    element = f"{puzzle}:{word[position - 1]}{word[position]}"
    for record, label, text, m in (
        (parts["fragment"][place], "fragment", element, 512),
        (parts["element"][place], "element", word, 256),
    ):
        assert hot_bit(record) == QuadraticM31(SEED, label).bucket(text, int(record["row"]), m)


def test_parameters_streams_and_what_is_stored() -> None:
    mechanism = mechanism_for("SequenceFragmentPuzzle", PARAMETERS)
    assert isinstance(mechanism, SequenceFragmentPuzzle)
    assert mechanism == SequenceFragmentPuzzle(
        CountMeanSketch(Decimal(2), 2048, 1024, QuadraticM31(SEED)),
        CountMeanSketch(Decimal(6), 512, 256, QuadraticM31(SEED, "fragment")),
        10,
    )
    assert MECHANISMS["SequenceFragmentPuzzle"] is SequenceFragmentPuzzle
    assert list(mechanism.positions) == [1, 3, 5, 7, 9]
    fragments = tuple(f"fragment-{position}" for position in mechanism.positions)
    assert mechanism.streams == ("element", *fragments)
    assert [mechanism.sketch_of(stream).k for stream in mechanism.streams] == [2048, *[512] * 5]
    assert [mechanism.record_dtype(stream).itemsize for stream in mechanism.streams] == [132, *[36] * 5]
    assert mechanism.report_epsilon == Decimal(8)
    assert mechanism.report_characters == len("9,511,,2047,") + 64 + 256
    for function in (mechanism.sketch_of, mechanism.record_dtype):
        for stream in ("fragment", "fragment-2", "fragment-11", ""):
            with pytest.raises(ParameterError, match="no stream"):
                function(stream)


def test_no_record_is_longer_than_the_longest() -> None:
    for length in (2, 10, 16):
        mechanism = fragment_puzzle("1", "1", (12, 8), (11, 16), length=length)
        lines = mechanism.format_records(
            mechanism.privatize_fleet(["a".ljust(length, "_")], np.zeros(2000, np.intp), np.random.default_rng(0))
        )
        assert max(map(len, lines)) == mechanism.report_characters


def test_the_vector_of_the_record() -> None:
    vector = VECTORS["encodings"]["sfp"]
    mechanism = fragment_puzzle("2", "6", (8, vector["m"]), (8, vector["m"]), length=4)
    parsed = mechanism.parse_records([vector["record"]])
    assert parsed.rejected == []
    assert {stream: len(records) for stream, records in parsed.streams.items()} == {
        "element": 1,
        "fragment-1": 0,
        "fragment-3": 1,
    }
    for stream, part in ((f"fragment-{vector['position']}", "fragment"), ("element", "word")):
        (record,) = parsed.streams[stream]
        assert int(record["row"]) == vector[part]["j"]
        assert np.flatnonzero(np.unpackbits(record["bits"])).tolist() == vector[part]["plus_one_at"]
    assert mechanism.format_records(parts_of(mechanism, [vector["record"]])) == [vector["record"]]


def test_the_vectors_of_puzzles_and_of_fragments() -> None:
    for vector in VECTORS["puzzle"]:
        mechanism = fragment_puzzle("2", "6", length=10, seed=bytes.fromhex(vector["seed"]))
        word = vector["padded_word"]
        for position in mechanism.positions:
            expected = f"{vector['puzzle']:02x}:{word[position - 1 : position + 1]}"
            assert mechanism.fragment_of(word, position) == expected
    points = {vector["element"]: vector["x0_x1_y0_y1"] for vector in VECTORS["points"]}
    for element, puzzle, fragment in (("61:sp", 0x61, "sp"), ("00:wy", 0, "wy")):
        assert fragment_element(puzzle, fragment) == element
        assert list(coordinates(element)) == points[element]
    buckets = [vector for vector in BUCKETS if vector["label"] == "fragment"]
    assert buckets
    for vector in buckets:
        family = fragment_puzzle("2", "6", seed=bytes.fromhex(vector["seed"])).fragments.family
        assert family.bucket(vector["element"], vector["j"], vector["m"]) == vector["bucket"]


def test_what_devices_say() -> None:
    for word in WORDS:
        parts = parts_of(NOISELESS, [NOISELESS.privatize(word) for _ in range(100)])
        assert set(parts["position"].tolist()) == {1, 3, 5, 7, 9}, "by chance one is missing once in 10^8 runs"
        for place in range(100):
            assert_says(parts, place, word)


def test_what_fleets_say() -> None:
    rng = np.random.default_rng(0)
    index = rng.integers(0, len(WORDS), 500)
    parts = NOISELESS.privatize_fleet(WORDS, index, rng)
    assert set(parts["position"].tolist()) == {1, 3, 5, 7, 9}
    for place, word in enumerate(index.tolist()):
        assert_says(parts, place, WORDS[word])
    again = parts_of(NOISELESS, NOISELESS.format_records(parts))
    assert all(again[name].tobytes() == part.tobytes() for name, part in parts.items())
    nobody = NOISELESS.privatize_fleet(WORDS, np.empty(0, np.intp), rng)
    assert NOISELESS.format_records(nobody) == []


@pytest.mark.parametrize(
    "element",
    ["", "wyd", "wyd______", "wyd________", "__________", "_wyd______", "a_b_______", "abcdefghi_j", "abcd_efghi"],
)
def test_what_is_no_padded_word_is_refused_but_not_repeated(element: str) -> None:
    with pytest.raises(ParameterError, match="padded to 10") as caught:
        NOISELESS.privatize(element)
    assert caught.value.field == "element"
    assert not element or element not in str(caught.value)
    with pytest.raises(ParameterError):
        NOISELESS.privatize_fleet([WORDS[0], element], np.zeros(1, np.intp), np.random.default_rng(0))


def test_streams_hold_every_report_once_and_no_link() -> None:
    """The sorted streams are the same bytes, whichever fragment came with which word."""
    mechanism = fragment_puzzle("2", "6", (32, 64), (16, 32), length=10)
    rng = np.random.default_rng(1)
    parts = mechanism.privatize_fleet(WORDS, rng.integers(0, len(WORDS), 400), rng)
    streams = mechanism.split(parts)
    assert tuple(streams) == mechanism.streams
    assert streams["element"].tobytes() == parts["element"].tobytes()
    for position in mechanism.positions:
        mine = parts["fragment"][parts["position"] == position]
        assert streams[f"fragment-{position}"].tobytes() == mine.tobytes()
        assert streams[f"fragment-{position}"].dtype == mechanism.record_dtype(f"fragment-{position}")
    order = rng.permutation(400)
    shuffled = {"position": parts["position"][order], "fragment": parts["fragment"][order], "element": parts["element"]}
    lines = mechanism.format_records(parts), mechanism.format_records(shuffled)
    assert set(lines[0]) != set(lines[1])
    stored = [mechanism.parse_records(own).streams for own in lines]
    for stream in mechanism.streams:
        assert sort_records(stored[0][stream]).tobytes() == sort_records(stored[1][stream]).tobytes()


def test_words_are_counted_as_count_mean_sketch_counts() -> None:
    own, words = fragment_puzzle("2", "6", (32, 64), (16, 32), length=10), count_mean("2", 32, 64)
    rng = np.random.default_rng(2)
    records = sort_records(own.split(own.privatize_fleet(WORDS, rng.integers(0, len(WORDS), 300), rng))["element"])
    points = own.family.points(WORDS)
    read_out = own.read_out([records], points, 0, 32)
    assert (read_out == words.read_out([records], points, 0, 32)).all()
    for members in (1, 3):
        count = own.debiased.estimate(read_out[0], 300, members)
        assert (count == words.debiased.estimate(read_out[0], 300, members)).all()
        assert (
            own.debiased.variance(count, 300, 5e4, members) == words.debiased.variance(count, 300, 5e4, members)
        ).all()
        assert own.debiased.threshold(300, 0.01, 5e4, members) == words.debiased.threshold(300, 0.01, 5e4, members)


def test_a_table_in_the_place_of_a_family() -> None:
    """It has no seed: the puzzle is made with none."""
    puzzle = hashlib.sha256(b"puzzle\x00ab").hexdigest()[:2]
    words = CountMeanSketch(Decimal(60), 1, 8, TableFamily(["ab"], np.array([[3]], np.uint32)))
    fragments = CountMeanSketch(Decimal(60), 1, 8, TableFamily([f"{puzzle}:ab"], np.array([[5]], np.uint32)))
    mechanism = SequenceFragmentPuzzle(words, fragments, 2)
    assert mechanism.seed == b""
    assert mechanism.privatize("ab") == "1,0,04,0,10"


def test_two_families_of_one_seed() -> None:
    own = fragment_puzzle("2", "6")
    other = fragment_puzzle("2", "6", seed=SEED)
    table = CountMeanSketch(Decimal(6), 16, 64, TableFamily([], np.empty((16, 0), np.uint32)))
    assert own.seed == bytes(16)
    assert other.seed == SEED
    for words, fragments in ((own.words, own.words), (own.words, other.fragments), (own.words, table), (table, table)):
        with pytest.raises(ParameterError) as caught:
            SequenceFragmentPuzzle(words, fragments, 4)
        assert caught.value.field == "seed"
