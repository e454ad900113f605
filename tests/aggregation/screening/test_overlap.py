"""Samples of earlier uploads: what ranks records, what is expected by chance, and how often a part is noticed."""

import itertools
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest
from scipy import stats

from aggregation.mechanisms import (
    CountMeanSketch,
    HadamardCountMeanSketch,
    LocalHashing,
    Mechanism,
    SampledFragmentPuzzle,
    SequenceFragmentPuzzle,
)
from aggregation.screening import (
    COMPARED,
    LARGE_PART,
    SAMPLED,
    is_distinctive,
    judge_overlap,
    judge_part,
    likeliest_record,
    rank_keys,
    ranks,
)
from aggregation.sketches import QuadraticM31

SEED = bytes(16)
MILLIONTH = 1e-6


def buckets(k: int, label: str = "element") -> LocalHashing:
    return LocalHashing(16, k, 2, QuadraticM31(SEED, label))


def vectors(epsilon: str, k: int, m: int, label: str = "element") -> CountMeanSketch:
    return CountMeanSketch(Decimal(epsilon), k, m, QuadraticM31(SEED, label))


@pytest.mark.exact
def test_ranks_are_the_formula_over_whole_numbers() -> None:
    keys = rank_keys(b"secret", 3)
    rows = np.random.default_rng(0).integers(0, 2**32, (5, 3), dtype=np.uint64)
    by_hand = [
        ((int(keys[0]) + sum(int(a) * int(x) for a, x in zip(keys[1:], row, strict=True))) % 2**64) >> 32
        for row in rows
    ]
    assert ranks(rows.astype("<u4").tobytes(), keys).tolist() == by_hand
    assert rank_keys(b"other", 3).tolist() != keys.tolist()


@pytest.mark.statistical
def test_ranks_of_like_records_are_uniform() -> None:
    """Records that differ in one bit: the chance of a false alarm is a millionth for each of 64 counts."""
    records = np.zeros((64_000, 33), "<u4")
    records[:, 1] = np.arange(64_000)
    found = ranks(records.tobytes(), rank_keys(b"secret", 33))
    counts = np.bincount((found >> np.uint64(26)).astype(np.int64), minlength=64)
    tails = [min(stats.binom.cdf(count, 64_000, 1 / 64), stats.binom.sf(count - 1, 64_000, 1 / 64)) for count in counts]
    assert min(tails) > MILLIONTH


@pytest.mark.exact
def test_the_likeliest_record_has_no_noise() -> None:
    """By going through all records of a small sketch: row 0, and the hot bit in place 0."""
    mechanism = vectors("2", 4, 8)
    flip = 1 / (1 + np.exp(1))
    chances = [
        flip ** (bits ^ 0x80).bit_count() * (1 - flip) ** (8 - (bits ^ 0x80).bit_count()) / 4 for bits in range(256)
    ]
    assert sum(chances) == pytest.approx(1 / 4)
    assert likeliest_record(mechanism) == pytest.approx(max(chances))


@pytest.mark.exact
@pytest.mark.parametrize(
    ("mechanism", "distinctive"),
    [
        (vectors("4", 65536, 1024), True),
        (vectors("8", 65536, 1024), True),
        (vectors("16", 65536, 1024), False),  # most vectors have no flip
        (vectors("4", 64, 64), False),
        (vectors("0.1", 2**20, 16), False),  # no whole words
        (HadamardCountMeanSketch(Decimal(4), 1024, 32768, QuadraticM31(SEED)), False),
        (SequenceFragmentPuzzle(vectors("4", 2048, 1024), vectors("6", 64, 64, "fragment"), 10), True),
        (SequenceFragmentPuzzle(vectors("8", 64, 64), vectors("4", 2048, 1024, "fragment"), 10), False),
    ],
)
def test_long_vectors_are_distinctive(mechanism: CountMeanSketch, distinctive: bool) -> None:
    assert is_distinctive(mechanism) is distinctive


@pytest.mark.exact
def test_the_chance_is_a_binomial_tail() -> None:
    mechanism = vectors("8", 65536, 1024)
    each = 10**6 * (likeliest_record(mechanism) + 2.0**-64)
    found = judge_overlap(mechanism, 10**6, 4, 10**6)
    assert found.p_value == pytest.approx(stats.binom.sf(3, 10**6, each))
    assert found.facts == {"seen": 4, "expected": pytest.approx(10**6 * each), "records": 10**6}
    assert found.stream == "element"


@pytest.mark.exact
def test_four_are_enough_whatever_an_installation_holds() -> None:
    """A thousand uploads a day for a year, and ten million records at once."""
    assert judge_overlap(vectors("4", 65536, 1024), 10**7, LARGE_PART, 1000 * 365 * SAMPLED).p_value < 1e-9


@pytest.mark.exact
def test_the_same_records_by_going_through_all_numbers_in_rows() -> None:
    """No numbers of 5 records in 2 rows, or in 4, are likelier than the bound says, and the bound is near."""
    for k in (2, 4):
        of_rows = stats.multinomial(5, [1 / k] * k)
        likeliest = max(of_rows.pmf(counts) for counts in itertools.product(range(6), repeat=k) if sum(counts) == 5)
        assert likeliest <= judge_part(vectors("16", k, 8), 5, 1).p_value < 1.3 * likeliest
    assert judge_part(vectors("4", 1, 8), 1000, 1).p_value == 1
    assert judge_part(vectors("4", 64, 8), 1000, 10**7).p_value < 1e-50


@pytest.mark.exact
def test_the_same_of_words_and_fragments_whose_cells_are_not_equally_likely() -> None:
    """No numbers of 6 records in the rows of words, and of fragments at two positions, are likelier than the bound."""
    for share, k, fragment_k in (("0.8", 2, 2), ("0.5", 3, 2), ("0.1", 2, 2)):
        words, fragments = buckets(k), buckets(fragment_k, "fragment")
        mechanism = SampledFragmentPuzzle(words, fragments, 4, Decimal(share))
        of_fragments = float(share) / (2 * fragment_k)
        chances = [(1 - float(share)) / k] * k + [of_fragments] * 2 * fragment_k
        drawn = stats.multinomial(6, chances)
        likeliest = max(drawn.pmf(each) for each in itertools.product(range(7), repeat=len(chances)) if sum(each) == 6)
        assert 1 - 1e-9 < judge_part(mechanism, 6, 1).p_value / likeliest < 1.8
    demo = SampledFragmentPuzzle(buckets(512), buckets(512, "fragment"), 10, Decimal("0.8"))
    assert judge_part(demo, 10**6, 10**7).p_value < 1e-50


@pytest.mark.exact
def test_no_records_of_a_small_sketch_are_likelier_than_the_bound() -> None:
    """By going through all pairs of records; one row says nothing, the vectors do."""
    flip = 1 / (1 + np.exp(1))
    chances = [flip ** bits.bit_count() * (1 - flip) ** (8 - bits.bit_count()) for bits in range(256)]
    pairs = itertools.combinations(chances, 2)
    likeliest = max(*(2 * one * other for one, other in pairs), max(chances) ** 2)
    assert likeliest <= judge_part(vectors("2", 1, 8), 2, 1).p_value < 3 * likeliest


@pytest.mark.exact
@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize(
    "make",
    [
        lambda k: vectors("4", k, 1024),
        lambda k: HadamardCountMeanSketch(Decimal(4), k, 1024, QuadraticM31(SEED)),
        lambda k: SequenceFragmentPuzzle(vectors("4", k, 1024), vectors("6", 64, 64, "fragment"), 10),
    ],
    ids=["vectors", "coordinates", "words"],
)
def test_few_rows_are_enough(make: Callable[[int], Mechanism], k: int) -> None:
    """The rows alone say nothing of 1,000 records, honest or not."""
    assert judge_part(make(k), 1000, 10**7).p_value < 1e-50


@pytest.mark.statistical
@pytest.mark.parametrize(("share", "noticed"), [(0.01, 0.01), (0.125, 0.95), (0.25, 0.99), (0.5, 0.99)])
def test_how_often_a_part_is_noticed(share: float, noticed: float) -> None:
    """As mathematics.md says; with ranks drawn for 20,000 records, of which a share is sent among 20,000 others.

    Each of 400 trials is noticed or not, and the chance of a false alarm is a millionth.
    """
    rng, size, trials, seen = np.random.default_rng(7), 20_000, 400, 0
    for _ in range(trials):
        first = rng.random(size)
        sent = np.concatenate([rng.choice(first, int(share * size), replace=False), rng.random(size)])
        kept, compared = np.sort(first)[:SAMPLED], np.sort(sent)[:COMPARED]
        seen += len(np.intersect1d(kept, compared)) >= LARGE_PART
    if share < 0.1:
        assert stats.binom.sf(seen - 1, trials, noticed) > MILLIONTH
    else:
        assert stats.binom.cdf(seen, trials, noticed) > MILLIONTH
