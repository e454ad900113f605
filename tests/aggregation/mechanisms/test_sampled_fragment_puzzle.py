"""The sampled fragment puzzle where it has one right answer."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from aggregation.encoding import sort_records, unpack_buckets
from aggregation.errors import ParameterError
from aggregation.mechanisms import LocalHashing, SampledFragmentPuzzle, mechanism_for
from aggregation.mechanisms.sampled_fragment_puzzle.encoding import parse_sampled
from aggregation.sketches import QuadraticM31
from tests.aggregation.helpers import VECTORS, sampled_puzzle

pytestmark = pytest.mark.exact

SEED = bytes(range(16))
WORDS = ["wyd_______", "despacito_", "mayweather", "caf\u00e9______", "o'clock___"]
# Lies have a chance of e^-50.
HONEST = sampled_puzzle("60", (32, 256), (16, 511), length=10, seed=SEED)
GOOD: dict[str, Any] = {
    "epsilon": 8,
    "k": 2048,
    "g": 2982,
    "fragment_k": 512,
    "fragment_g": 300,
    "fragment_share": 0.75,
    "length": 10,
    "seed": SEED.hex(),
}


def parts_of(mechanism: SampledFragmentPuzzle, lines: list[str]) -> dict[str, Any]:
    parts, rejected = parse_sampled(lines, mechanism.positions, mechanism.fragment_shape, mechanism.word_shape)
    assert not rejected
    return parts


def assert_says(position: int, record: Any, word: str) -> None:
    """Check a report without lies against the report format."""
    label, text, g = ("fragment", HONEST.fragment_of(word, position), 511) if position else ("element", word, 256)
    (row,), (bucket,) = unpack_buckets(record[None], g)
    assert bucket == QuadraticM31(SEED, label).bucket(text, int(row), g)


def test_parameters_streams_and_what_is_stored() -> None:
    mechanism = mechanism_for("SampledFragmentPuzzle", GOOD)
    assert mechanism == SampledFragmentPuzzle(
        LocalHashing(8, 2048, 2982, QuadraticM31(SEED)),
        LocalHashing(8, 512, 300, QuadraticM31(SEED, "fragment")),
        10,
        Decimal("0.75"),
    )
    assert mechanism.encoded_parameters() == {**GOOD, "hash": "quadratic-m31-v1"}
    fragments = tuple(f"fragment-{position}" for position in (1, 3, 5, 7, 9))
    assert mechanism.streams == mechanism.report_streams == ("element", *fragments)
    assert [mechanism.record_dtype(stream).itemsize for stream in mechanism.streams] == [4] * 6
    assert (mechanism.report_bytes, mechanism.report_characters) == (4, len("0,2047,2981"))
    assert mechanism.report_epsilon == Decimal(8)
    assert mechanism.reports_in({"element": 5, "fragment-3": 7, "fragment-9": 1}) == 13
    assert mechanism.word_reports(13, [0, 7, 0, 0, 1]) == 5
    with pytest.raises(ParameterError, match="no stream"):
        mechanism.record_dtype("fragment-2")


def test_the_share_is_four_fifths_unless_it_is_given() -> None:
    left_out = {name: value for name, value in GOOD.items() if name != "fragment_share"}
    assert mechanism_for("SampledFragmentPuzzle", left_out).encoded_parameters()["fragment_share"] == 0.8


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("fragment_share", value) for value in (0, 1, 0.0005, 0.0011, 0.9999, -0.5, "0.5", True, float("nan"))),
        *(("epsilon", value) for value in (0, 16.001, 0.0001)),
        *((name, value) for name in ("k", "fragment_k") for value in (1, 65_537)),
        *((name, value) for name in ("g", "fragment_g") for value in (1, 65_537, 56.0)),
        ("k", 5627),  # with g = 2982 more than 2^24 cells
        ("fragment_k", 55_925),
        ("length", 7),
        ("m", 64),
        ("fragment_epsilon", 2),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        mechanism_for("SampledFragmentPuzzle", {**GOOD, name: value})
    assert caught.value.field == name


def test_parameters_at_their_bounds_are_taken() -> None:
    for bound in (
        {"fragment_share": 0.001}, {"fragment_share": 0.999}, {"k": 5626}, {"fragment_k": 55_924}, {"k": 2, "g": 2},
        {"k": 256, "g": 65_536, "epsilon": 16},
    ):  # fmt: skip
        given = {**GOOD, **bound}
        assert mechanism_for("SampledFragmentPuzzle", given).encoded_parameters().items() >= given.items()


def test_both_sketches_spend_the_same() -> None:
    words, fragments = LocalHashing(8, 16, 64, seed=7), LocalHashing(4, 16, 64, QuadraticM31(7, "fragment"))
    with pytest.raises(ParameterError, match="one ε"):
        SampledFragmentPuzzle(words, fragments, 4)


def test_the_bound_of_the_share_is_computed_from_its_decimal_form() -> None:
    for vector in VECTORS["fragment_thresholds"]:
        mechanism = mechanism_for("SampledFragmentPuzzle", {**GOOD, "fragment_share": float(vector["fragment_share"])})
        assert isinstance(mechanism, SampledFragmentPuzzle)
        assert mechanism.fragment_threshold == int(vector["t"])
        assert 0 <= mechanism.fragment_threshold - 2**64 * Fraction(vector["fragment_share"]) < 1


def test_the_vectors_records() -> None:
    vector = VECTORS["encodings"]["sampled_puzzle"]
    mechanism = sampled_puzzle("4", (8, 56), (8, 56), length=4)
    lines = [vector["fragment"]["record"], vector["word"]["record"]]
    parts = parts_of(mechanism, lines)
    assert parts["position"].tolist() == [vector["fragment"]["q"], 0]
    rows, buckets = unpack_buckets(parts["record"], 56)
    assert rows.tolist() == [vector["fragment"]["j"], vector["word"]["j"]]
    assert buckets.tolist() == [vector["fragment"]["y"], vector["word"]["y"]]
    assert mechanism.format_records(parts) == lines
    streams = mechanism.parse_records(lines).streams
    assert {stream: len(records) for stream, records in streams.items()} == {
        "element": 1, "fragment-1": 0, "fragment-3": 1
    }  # fmt: skip


def test_a_bad_line_is_refused_by_the_sketch_that_its_position_says() -> None:
    """Three rows and four buckets for words, five rows and two buckets for fragments."""
    mechanism = sampled_puzzle("1", (3, 4), (5, 2), length=4)
    malformed, row, bucket = "malformed_record", "row_out_of_range", "coordinate_out_of_range"
    reasons: dict[object, str | None] = {
        "0,2,3": None, "1,4,1": None, "3,0,0": None,
        "0,3,3": row, "0,2,4": bucket, "0,3,4": row, "1,5,0": row, "1,4,2": bucket, "3,5,2": row,
        "3,99999999999,0": row,
        "2,0,0": malformed, "5,0,0": malformed, "00,0,0": malformed, "01,0,0": malformed, "-1,0,0": malformed,
        "0,0": malformed, "0,0,0,0": malformed, "0,00,0": malformed, "0,,0": malformed, "": malformed, "0,": malformed,
        " 0,0,0": malformed, "0,0,0\n": malformed, "0,0,+1": malformed, "0,0,1.0": malformed, "²,0,0": malformed,
        "4294967296,0,0": malformed, 7: malformed, None: malformed,
    }  # fmt: skip
    found = mechanism.parse_records(list(reasons))
    assert found.rejected == [(place, reason) for place, reason in enumerate(reasons.values()) if reason]
    assert {stream: len(records) for stream, records in found.streams.items()} == {
        "element": 1, "fragment-1": 1, "fragment-3": 1
    }  # fmt: skip
    for line, reason in reasons.items():
        assert [each for _place, each in mechanism.parse_records([line]).rejected] == ([reason] if reason else [])
    assert mechanism.parse_records([]).rejected == []


def test_devices_and_fleets_say_what_the_format_says() -> None:
    rng, index = np.random.default_rng(0), np.arange(1500) % len(WORDS)
    lines = [HONEST.privatize(WORDS[word]) for word in index.tolist()]
    for parts in (parts_of(HONEST, lines), HONEST.privatize_fleet(WORDS, index, rng)):
        assert set(parts["position"].tolist()) == {0, 1, 3, 5, 7, 9}
        for word, position, record in zip(index.tolist(), parts["position"].tolist(), parts["record"], strict=True):
            assert_says(position, record, WORDS[word])
        again = parts_of(HONEST, HONEST.format_records(parts))
        assert all(again[name].tobytes() == part.tobytes() for name, part in parts.items())
    assert HONEST.format_records(HONEST.privatize_fleet(WORDS, np.empty(0, np.intp), rng)) == []


def test_a_device_draws_what_it_reports_about_before_it_looks_at_the_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Just below the bound a fragment, at it the word; then the position, from 64 bits of its own."""
    t, place = HONEST.fragment_threshold, "aggregation.randomness.os.urandom"
    for first, beginning in ((t - 1, "7,0,"), (t, "0,0,")):
        drawn = [first, *([3] if first < t else []), 0, 2**64 - 1]
        monkeypatch.setattr(place, lambda _size, drawn=drawn: drawn.pop(0).to_bytes(8, "little"))
        assert HONEST.privatize(WORDS[0]).startswith(beginning)
        assert drawn == []


@pytest.mark.parametrize("element", ["", "wyd", "wyd________", "__________", "_wyd______", "abcdefghi_j"])
def test_what_is_no_padded_word_is_refused_but_not_repeated(element: str) -> None:
    """Whatever is drawn: else an error would tell what a report is about."""
    for _ in range(20):
        with pytest.raises(ParameterError, match="padded to 10") as caught:
            HONEST.privatize(element)
        assert not element or element not in str(caught.value)


def test_every_report_is_in_one_stream() -> None:
    rng = np.random.default_rng(1)
    parts = HONEST.privatize_fleet(WORDS, rng.integers(0, len(WORDS), 400), rng)
    streams = HONEST.split(parts)
    assert tuple(streams) == HONEST.streams
    assert HONEST.reports_in({stream: len(records) for stream, records in streams.items()}) == 400
    for stream, position in zip(HONEST.streams, (0, *HONEST.positions), strict=True):
        assert streams[stream].tobytes() == parts["record"][parts["position"] == position].tobytes()
        assert streams[stream].dtype == HONEST.record_dtype(stream)


def test_words_are_counted_among_the_reports_about_words() -> None:
    rng = np.random.default_rng(2)
    mechanism = sampled_puzzle("3", (32, 64), (16, 32), length=10)
    streams = mechanism.split(mechanism.privatize_fleet(WORDS, rng.integers(0, len(WORDS), 300), rng))
    streams = {stream: sort_records(records) for stream, records in streams.items()}
    points, own = mechanism.points(WORDS), mechanism.words
    read_outs = [mechanism.read_out([streams[each]], points, 0, 32, each) for each in mechanism.report_streams]
    expected = own.read_out([streams["element"]], points, 0, 32)
    assert (np.sum(read_outs, axis=0) == expected).all()
    state = mechanism.empty_state()
    mechanism.add_to_state(state, streams)
    assert (mechanism.read_state(state, points) == expected[0]).all()
    n_w = len(streams["element"])
    estimate = mechanism.word_estimator(300, n_w).estimate(expected[0], 300)
    assert estimate == pytest.approx(300 / n_w * own.debiased.estimate(expected[0], n_w))
    assert mechanism.debiased.share == Fraction(1, 5)
