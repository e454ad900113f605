"""Subset selection where it has one right answer, and over seeded populations what its formulas say.

Statistical tests are at α = 1e-6 each unless they say otherwise, and their seeds are fixed.
"""

import itertools
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, chi2, chisquare

from aggregation import ParameterError, Sketch, SubsetSelection, estimate, mechanism_for
from aggregation.encoding import join_records, sort_records
from aggregation.estimation import intervals
from aggregation.mechanisms.subset_selection import distribution
from aggregation.mechanisms.subset_selection.members import members_in_subset
from aggregation.mechanisms.subset_selection.parameters import best_subset, dictionary_digest
from aggregation.mechanisms.subset_selection.sums import log_upper_tail, upper_quantile_of_sum
from tests.aggregation.helpers import VECTORS, Z_MILLIONTH, zipf_counts

exact = pytest.mark.exact
statistical = pytest.mark.statistical

VECTOR = VECTORS["encodings"]["subset_selection"]


def elements(number: int) -> list[str]:
    return [f"e{place:04}" for place in range(number)]


def selection(epsilon: float, size: int, w: int | None = None) -> SubsetSelection:
    return SubsetSelection.of(epsilon, elements(size), w)


def fleet(mechanism: SubsetSelection, counts: NDArray[np.int64], seed: int = 0) -> NDArray[Any]:
    """One record for each report, in the order of what they are about."""
    index = np.repeat(np.arange(len(counts)), counts)
    return mechanism.privatize_fleet(elements(mechanism.size), index, np.random.default_rng(seed))["element"]


# --- Parameters ---


@exact
def test_parameters_are_those_of_the_wire() -> None:
    mechanism = SubsetSelection.of(4, VECTOR["dictionary"]["elements"], 1, other=True)
    wire = mechanism.encoded_parameters()
    assert wire == {"epsilon": 4, "size": 4, "w": 1, "other": True, "dictionary": VECTOR["dictionary"]["digest"]}
    assert mechanism.elements == tuple(VECTOR["dictionary"]["sorted"])
    known = mechanism_for("SubsetSelection", wire)
    assert known == mechanism
    assert known.elements is None
    assert known.with_dictionary(["é", "a", "b"]).elements == mechanism.elements
    assert SubsetSelection.for_dictionary({"epsilon": 4, "w": 1, "other": True}, ["é", "b", "a"]) == wire


@exact
def test_order_is_that_of_bytes() -> None:
    """An astral character is after U+FFEE, though its first half as UTF-16 is before."""
    mechanism = SubsetSelection.of(4, ["\U0001f600", "\uffee", "a"])
    assert mechanism.elements == ("a", "\uffee", "\U0001f600")


@exact
@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"epsilon": 17}, "epsilon", "at most 16"),
        ({"size": 1}, "size", "two elements at least"),
        ({"size": 4097}, "size", "4096 elements at most.*anything else, or count a larger dictionary with a sketch"),
        ({"size": True}, "size", "integer"),
        ({"w": 0}, "w", "from 1 to 99 for a dictionary of 100, not 0; 1 is best"),
        ({"w": 100}, "w", "from 1 to 99"),
        ({"size": 4096, "w": 513}, "w", "from 1 to 512"),
        ({"w": 2.0}, "w", "integer"),
        ({"other": 1}, "other", "true or false"),
        ({"dictionary": "0" * 31}, "dictionary", "32 lower-case hex digits"),
        ({"dictionary": 5}, "dictionary", "32 lower-case hex digits"),
        ({"seed": "00" * 16}, "seed", "no parameter"),
    ],
)
def test_wrong_parameters_are_refused(changes: dict[str, object], field: str, words: str) -> None:
    wire = {"epsilon": 4, "size": 100, "w": 2, "other": False, "dictionary": "0" * 32}
    with pytest.raises(ParameterError, match=words) as refused:
        mechanism_for("SubsetSelection", wire | changes)
    assert refused.value.field == field


@exact
@pytest.mark.parametrize("other", [["a", "c"], ["a", "b", "c"], ["a", "b\n"], ["a", ""], ["b", "b"]])
def test_another_dictionary_is_refused(other: list[str]) -> None:
    with pytest.raises(ParameterError, match="lement"):
        SubsetSelection.of(4, ["a", "b"], 1).with_dictionary(other)


@exact
def test_what_is_not_in_the_dictionary_is_anything_else_or_not_reported() -> None:
    closed, opened = (SubsetSelection.of(16, ["a", "b"], 1, other=other) for other in (False, True))
    assert (closed.reports("b"), closed.reports("c"), opened.reports("c")) == (True, False, True)
    with pytest.raises(ParameterError, match="not in the dictionary"):
        closed.privatize("c")
    assert {opened.privatize("c") for _ in range(5)} == {"2"}
    for each in (closed, opened):
        with pytest.raises(ParameterError, match="not in the dictionary"):
            each.points(["a", "c"])


@exact
def test_what_needs_the_dictionary_says_so() -> None:
    blind = mechanism_for("SubsetSelection", selection(4, 5).encoded_parameters())
    with pytest.raises(ParameterError, match="takes the elements of the dictionary"):
        blind.privatize("e0001")
    assert blind.points(elements(5)[::-1]).tolist() == [4, 3, 2, 1, 0]
    with pytest.raises(ParameterError, match="not the dictionary"):
        blind.points(elements(4))


@exact
@pytest.mark.parametrize(("epsilon", "size", "best"), [(1, 64, 17), (4, 64, 1), (4, 2600, 47), (0.01, 4096, 512)])
def test_the_best_w_has_the_smallest_variance(epsilon: float, size: int, best: int) -> None:
    assert best_subset(epsilon, size) == best

    def noise(w: int) -> float:
        return float(selection(epsilon, size, w).debiased.variance(np.zeros(1), 1, 1.0)[0])

    assert noise(best) <= min(noise(w) for w in (best - 1, best + 1) if 1 <= w <= 512) * (1 + 1e-3)


# --- Records ---


@exact
def test_the_vectors_record() -> None:
    mechanism = selection(4, 10, 3)
    parsed = mechanism.parse_records([VECTOR["record"]])
    assert parsed.rejected == []
    counts = mechanism.read_out([parsed.streams["element"]], mechanism.points(elements(10)), 0, 1)[0]
    assert np.flatnonzero(counts).tolist() == sorted(VECTOR["subset"])
    assert mechanism.format_records(parsed.streams) == [VECTOR["record"]]


REASONS = {
    "0,4,9": None,
    "7,8,9": None,
    "4,0,9": "malformed_record",
    "0,4,4": "malformed_record",
    "0,4,09": "malformed_record",
    "0,4,": "malformed_record",
    "": "malformed_record",
    " 0,4,9": "malformed_record",
    "0,4,9\n": "malformed_record",
    "0,4,+9": "malformed_record",
    "0,4,９": "malformed_record",
    "4,3,2,1": "malformed_record",
    "11,10": "malformed_record",
    "0,4": "wrong_length",
    "0,1,2,3": "wrong_length",
    "10": "wrong_length",
    "8,9,10": "coordinate_out_of_range",
    "8,9,9999999999999999999999": "coordinate_out_of_range",
    "8,9," + "9" * 100_000: "coordinate_out_of_range",
}


@exact
def test_records_have_the_first_reason_that_applies() -> None:
    mechanism = selection(4, 10, 3)
    lines: list[object] = [*REASONS, None, 7]
    expected = [*REASONS.values(), "malformed_record", "malformed_record"]
    parsed = mechanism.parse_records(lines)
    assert parsed.rejected == [(place, reason) for place, reason in enumerate(expected) if reason]
    assert mechanism.format_records(parsed.streams) == ["0,4,9", "7,8,9"]
    for line, reason in zip(lines, expected, strict=True):
        assert mechanism.parse_records([line]).rejected == ([(0, reason)] if reason else [])


@exact
@pytest.mark.parametrize(
    ("size", "w", "stored"),
    [(2, 1, 4), (4096, 1, 4), (64, 2, 4), (64, 3, 8), (64, 17, 8), (65, 40, 12), (4096, 512, 512)],
)
def test_records_are_short_and_say_what_their_lines_do(size: int, w: int, stored: int) -> None:
    mechanism = selection(1, size, w)
    records = fleet(mechanism, np.bincount(np.arange(50) * 7 % size, minlength=size))
    lines = mechanism.format_records({"element": records})
    again = mechanism.parse_records(lines)
    assert again.rejected == []
    assert again.streams["element"].tobytes() == records.tobytes()
    assert mechanism.report_bytes == stored == records.dtype.itemsize
    assert mechanism.report_characters == len(",".join(map(str, range(size - w, size)))) >= max(map(len, lines))
    expected = np.bincount([int(index) for line in lines for index in line.split(",")], minlength=size)
    points = mechanism.points(elements(size))
    shards = [sort_records(records[:20]), sort_records(records[20:])]
    assert mechanism.read_out(shards, points, 0, 1).sum(axis=0).tolist() == expected.tolist()
    assert not mechanism.read_out(shards, points, 1, 1).any()
    sketch = Sketch(mechanism)
    sketch.update(lines)
    assert mechanism.read_state(Sketch.from_bytes(sketch.to_bytes()).state, points).tolist() == expected.tolist()


# --- Exact distributions ---


def subsets_of(mechanism: SubsetSelection, own: int) -> dict[tuple[int, ...], float]:
    """The probability of every subset."""
    size, w, p = mechanism.size, mechanism.w, mechanism.own
    kept, lied = p / math.comb(size - 1, w - 1), (1 - p) / math.comb(size - 1, w)
    return {each: kept if own in each else lied for each in itertools.combinations(range(size), w)}


SHAPES = [(1.0, 2, 1), (1.0, 4, 1), (2.0, 4, 2), (0.5, 4, 3), (1.0, 5, 2)]


@exact
@pytest.mark.parametrize(("epsilon", "size", "w"), SHAPES)
def test_two_elements_differ_by_epsilon_in_every_subset(epsilon: float, size: int, w: int) -> None:
    mechanism = selection(epsilon, size, w)
    first, second = (subsets_of(mechanism, own) for own in (0, 1))
    assert sum(first.values()) == pytest.approx(1)
    ratios = [math.log(first[each] / second[each]) for each in first]
    assert (min(ratios), max(ratios)) == pytest.approx((-epsilon, epsilon), abs=1e-12)


@exact
@pytest.mark.parametrize(("epsilon", "size", "w"), SHAPES)
def test_estimates_of_elements_and_groups_have_the_stated_mean_and_variance(epsilon: float, size: int, w: int) -> None:
    """Over all outcomes of three reports, about two elements."""
    mechanism, own = selection(epsilon, size, w), [0, 0, 1]
    for g in range(1, size + 1):
        for group in itertools.combinations(range(size), g):
            mean = square = 0.0
            for outcome in itertools.product(*(subsets_of(mechanism, each).items() for each in own)):
                chance = math.prod(each for _subset, each in outcome)
                seen = sum(len({*subset} & {*group}) for subset, _chance in outcome)
                (found,) = mechanism.debiased.estimate(np.array([seen]), 3, g)
                mean, square = mean + chance * found, square + chance * found**2
            true = sum(each in group for each in own)
            assert mean == pytest.approx(true, abs=1e-9)
            stated = mechanism.debiased.variance(np.array([float(true)]), 3, 0.0, g)[0]
            assert stated == pytest.approx(square - mean**2, abs=1e-9)


@exact
@pytest.mark.parametrize(("size", "w", "members"), [(6, 2, 2), (6, 3, 4), (30, 8, 12), (30, 8, 29)])
@pytest.mark.parametrize("n", [0, 1, 2, 40])
def test_thresholds_of_groups_are_exact(size: int, w: int, members: int, n: int) -> None:
    mechanism = selection(1, size, w)
    one, sums = members_in_subset(size, w, mechanism.own, members, inside=False), np.ones(1)
    for _ in range(n):
        sums = np.convolve(sums, one)
    tails = np.append(np.cumsum(sums[::-1])[::-1], 0)
    for alpha in (0.3, 1e-3, 1e-9):
        rare = int(np.argmax(tails <= alpha))
        (expected,) = mechanism.debiased.estimate(np.array([rare]), n, members)
        assert mechanism.debiased.threshold(n, alpha, 0.0, members) == pytest.approx(expected)
    for s in range(len(sums)):
        mean = n * float(one @ np.arange(len(one)))
        if tails[s] > 1e-280 and s > mean:
            assert math.exp(log_upper_tail(one, n, s)) == pytest.approx(tails[s], rel=1e-9)


@exact
@pytest.mark.parametrize("n", [1000, 10**6, 10**9])
def test_thresholds_of_groups_of_any_size_agree_with_binomial_ones_where_they_are(n: int) -> None:
    """With w = 1 a group has one member in a subset at most: its sum is binomial."""
    mechanism = selection(8, 2600, 1)
    chance = 40 * mechanism.debiased.foreign
    s = upper_quantile_of_sum(members_in_subset(2600, 1, mechanism.own, 40, inside=False), n, 1e-5)
    assert binom.sf(s - 1, n, chance) <= 1e-5 < binom.sf(s - 2, n, chance)


@exact
def test_all_estimates_sum_to_n_so_anything_else_is_what_is_left() -> None:
    mechanism = SubsetSelection.of(1, elements(9), other=True)
    lines = [mechanism.privatize(text) for text in ("e0001", "what", "ever", "e0005") * 5]
    (records,) = mechanism.parse_records(lines).streams.values()
    counts = mechanism.support_counts(records)
    assert counts.sum() == 20 * mechanism.w
    found = mechanism.debiased.estimate(counts, 20)
    assert 20 - found[:-1].sum() == pytest.approx(found[-1])


# --- Populations ---


@statistical
@pytest.mark.parametrize(("size", "w"), [(2, 1), (6, 1), (6, 3), (6, 5)])
def test_every_subset_is_as_likely_as_stated(size: int, w: int) -> None:
    """On a device, whose randomness is the operating system's, and of a fleet."""
    mechanism, n = selection(1, size, w), 20_000
    expected = subsets_of(mechanism, 1)
    device = [mechanism.privatize("e0001") for _ in range(n)]
    simulated = mechanism.format_records({"element": fleet(mechanism, np.bincount([1], minlength=size) * n)})
    for lines in (device, simulated):
        counts = [lines.count(",".join(map(str, each))) for each in expected]
        assert chisquare(counts, n * np.array([*expected.values()])).pvalue > 1e-6


def populations(mechanism: SubsetSelection, counts: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Support counts of independent populations, from one fleet."""
    records = fleet(mechanism, counts * number, 5)
    of_element = np.split(records, np.cumsum(counts * number)[:-1])
    parts = [np.array_split(each, number) for each in of_element]
    return np.array(
        [mechanism.support_counts(join_records([part[place] for part in parts])) for place in range(number)]
    )


@statistical
@pytest.mark.parametrize(("size", "epsilon"), [(64, 1), (2600, 8)])
def test_squared_errors_are_within_three_percent_of_the_formula(size: int, epsilon: float) -> None:
    """Draw enough populations for the mean over all elements and populations to be within 3 % at 4.9 deviations."""
    mechanism = selection(epsilon, size)
    number = math.ceil(2 / size * (Z_MILLIONTH / 0.03) ** 2 * 1.3)
    counts = zipf_counts(max(300, round(4 / mechanism.debiased.foreign)), size)
    n = int(counts.sum())
    found = mechanism.debiased.estimate(populations(mechanism, counts, number), n)
    errors = ((found - counts) ** 2).mean()
    stated = mechanism.debiased.variance(counts.astype(float), n, 0.0).mean()
    assert errors == pytest.approx(stated, rel=0.03)


@statistical
@pytest.mark.parametrize(("epsilon", "w", "other"), [(1, None, False), (2, 5, True), (8, None, True)])
def test_drawn_read_outs_are_those_of_fleets(epsilon: float, w: int | None, other: bool) -> None:
    """Mean, variance and covariance of neighbours, by 800 populations of either kind, at 4.9 deviations each."""
    mechanism, counts, number = SubsetSelection.of(epsilon, elements(12), w, other=other), zipf_counts(200, 12), 800
    points = mechanism.points(elements(12))
    rngs = [np.random.default_rng(seed) for seed in range(number)]
    drawn = distribution.draw(mechanism, points, np.tile(counts, (number, 1)), rngs)
    told = np.empty_like(drawn)
    index = np.repeat(np.arange(12), counts)
    for own in told:
        own[:] = mechanism.support_counts(mechanism.privatize_fleet(elements(12), index, rngs[0])["element"])[points]
    hit = distribution.hits(mechanism, points, np.arange(12))
    mean, variance = distribution.moments(mechanism, hit, counts)
    for found in (drawn, told):
        assert (np.abs(found.mean(axis=0) - mean) < Z_MILLIONTH * np.sqrt(variance / number)).all()
        assert (np.abs(found.var(axis=0) / variance - 1) < 1.3 * Z_MILLIONTH * math.sqrt(2 / number)).all()
        halves = found[:, :6].sum(axis=1) / (mechanism.own - mechanism.debiased.foreign)
        stated = mechanism.debiased.variance(np.array([float(counts[:6].sum())]), 200, 0.0, 6)[0]
        assert chi2.ppf(1e-6, number - 1) < halves.var() * number / stated < chi2.ppf(1 - 1e-6, number - 1)


@statistical
@pytest.mark.parametrize("epsilon", [1, 2, 4, 8])
def test_intervals_hold_the_truth_as_often_as_they_say(epsilon: float) -> None:
    """95 % of 3,200, which are 0.4 % off at one deviation: 93.5 to 96.5 % has α = 2e-4."""
    mechanism, counts = selection(epsilon, 64), zipf_counts(10**6, 64)
    rngs = [np.random.default_rng(seed) for seed in range(50)]
    drawn = distribution.draw(mechanism, mechanism.points(elements(64)), np.tile(counts, (50, 1)), rngs)
    found = mechanism.debiased.estimate(drawn, 10**6)
    lower, upper = intervals(found, np.sqrt(mechanism.debiased.variance(found, 10**6, 0.0)), 0.95)
    assert 0.935 < ((lower <= counts) & (counts <= upper)).mean() < 0.965


@statistical
def test_false_elements_are_as_many_as_stated_of_few_reports() -> None:
    """n = 1,000 and ε = 8: among 2,000 populations of 60 elements without reports, at most α·2,000 are expected."""
    mechanism, counts = selection(8, 64), np.bincount([0, 1, 2, 3], minlength=64) * 250
    found = mechanism.debiased.estimate(populations(mechanism, counts, 2000), 1000)
    threshold = mechanism.debiased.threshold(1000, 0.5 / 64, 0.0)
    false = int((found[:, 4:] >= threshold).sum())
    q = mechanism.debiased.foreign
    chance = binom.sf(round(threshold * (mechanism.own - q) + 1000 * q) - 1, 1000, q)
    assert chance <= 0.5 / 64
    assert abs(false - 2000 * 60 * chance) < Z_MILLIONTH * math.sqrt(2000 * 60 * chance)


@statistical
def test_estimates_find_what_is_there_and_nothing_else() -> None:
    mechanism = selection(2, 30)
    sketch = Sketch(mechanism)
    sketch.add({"element": fleet(mechanism, np.bincount([3, 4], minlength=30) * 5000)})
    result = estimate(sketch, elements(30), false_positives=1e-6)
    assert np.flatnonzero(result.significant).tolist() == [3, 4]
    assert (np.abs(result.count[3:5] - 5000) < Z_MILLIONTH * result.standard_error[3:5]).all()
    assert mechanism.epsilon == Decimal(2)
    assert dictionary_digest(elements(30)) == mechanism.dictionary
