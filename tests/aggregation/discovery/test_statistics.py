"""Claims on false fragments, false words and recall, over many fleets and seeds of the hash families.

All seeds are fixed; each test states the chance of a false alarm that new seeds would have.
"""

from collections.abc import Callable, Mapping
from statistics import mode

import numpy as np
import pytest
from scipy.stats import poisson

from aggregation.discovery import detection_probability, most_f2
from aggregation.registry import DiscoveryMechanism
from aggregation.sketches import puzzle_byte
from tests.aggregation.discovery.helpers import Found, discover, key_of, puzzle, reported, sampled, some_words
from tests.aggregation.helpers import Z_MILLIONTH, zipf_counts

pytestmark = pytest.mark.statistical


def false_fragments(mechanism: DiscoveryMechanism, found: Found, words: Mapping[str, int]) -> list[int]:
    """Count the keys that were never reported and passed, at each position."""
    sizes = []
    for position, kept in enumerate(found.cut.kept):
        true = {key_of(mechanism, found.keys, word, position) for word in words}
        sizes.append(len(set(kept.tolist()) - true))
    return sizes


def test_64_false_fragments_pass_at_each_position() -> None:
    """From 37,120 keys at 3 positions of 10 fleets. The chance of a false alarm is about 2e-6.

    The exact quantile of a whole number lets through up to 4 of 64 fewer. At k'=512 and m'=256 keys are nearly
    independent, so their number is nearly a Poisson number of mean 56 to 64.
    """
    rng, sizes = np.random.default_rng(10), []
    for seed in range(10):
        mechanism = puzzle(("2", 8, 64), ("6", 512, 256), 6, seed)
        words = some_words("abcdefghijk", 6, 200, rng)
        counts = dict(zip(words, zipf_counts(30_000, 200).tolist(), strict=True))
        sizes += false_fragments(
            mechanism, discover(mechanism, "abcdefghijk", [reported(mechanism, counts, rng)]), counts
        )
    assert poisson.ppf(1e-6, 56 * len(sizes)) <= sum(sizes) <= poisson.isf(1e-6, 64 * len(sizes))


@pytest.mark.parametrize(
    ("shape", "n"),
    [(("6", 8, 64), 20_000), (("3", 64, 64), 20_000), (("8", 512, 32), 20_000), (("6", 8, 64), 60)],
    ids=str,
)
def test_no_more_than_64_do_where_collisions_bunch_or_reports_are_few(shape: tuple[str, int, int], n: int) -> None:
    """Three fleets. The means are 3 to 45, so the chance of a false alarm is far below 1e-6."""
    rng, sizes = np.random.default_rng(11), []
    for seed in range(3):
        mechanism = puzzle(("2", 8, 64), shape, 6, seed)
        words = some_words("abcdef", 6, 50, rng)
        counts = dict(zip(words, zipf_counts(n, 50).tolist(), strict=True))
        sizes += false_fragments(mechanism, discover(mechanism, "abcdef", [reported(mechanism, counts, rng)]), counts)
    assert np.mean(sizes) <= 64


WORDS, REPORTS = 600, 40_000
# Two-sided quantile of 1e-6 of Student's distribution with 19 degrees of freedom.
T_MILLIONTH = 7.07


def test_false_words_per_run_are_as_many_as_stated() -> None:
    """25 runs in which every second candidate is false: 600 words' fragments fit together to a hundred others.

    False words are a Poisson number of α times the share of the candidates that are false, up to a tenth less because
    read-outs are whole. The chance of a false alarm is 2e-6. If every candidate were tested by itself,
    dozens would pass in every run; at three times the rate, too many do for this test.
    """
    alpha, rng, expected, false = 0.9, np.random.default_rng(12), 0.0, 0
    for seed in range(25):
        mechanism = puzzle(("2", 256, 64), ("16", 256, 1024), 10, seed)
        words = some_words("abcdef", 10, WORDS, rng)
        day = reported(mechanism, dict.fromkeys(words, REPORTS // WORDS), rng)
        found = discover(mechanism, "abcdef", [day], alpha)
        nobodys = len(set(found.joined.words) - set(words))
        assert nobodys > 50
        expected += alpha * nobodys / len(found.joined.words)
        false += len(set(found.shown) - set(words))
    assert poisson.ppf(1e-6, 0.9 * expected) <= false <= poisson.isf(1e-6, expected)


def test_false_words_per_run_stay_below_the_rate_where_few_are_joined() -> None:
    """40 runs over some 17 candidates, every second one false: 8 frequent words of one puzzle byte, which cross.

    False alarm: 1e-6. At three times the rate nine in ten such tests fail, this one among them.
    """
    alpha, rng, expected, false = 0.9, np.random.default_rng(13), 0.0, 0
    for seed in range(40):
        mechanism = puzzle(("2", 256, 64), ("6", 64, 256), 8, seed)
        words = some_words("abcdef", 8, 800, rng)
        bytes_of = [puzzle_byte(mechanism.seed, word) for word in words]
        alike = [word for word, byte in zip(words, bytes_of, strict=True) if byte == mode(bytes_of)][:8]
        counts = dict.fromkeys(words[:300], 50) | dict.fromkeys(alike, 600)
        found = discover(mechanism, "abcdef", [reported(mechanism, counts, rng)], alpha)
        nobodys = len(set(found.joined.words) - set(counts))
        expected += alpha * nobodys / max(len(found.joined.words), 1)
        false += len(set(found.shown) - set(counts))
    assert expected > 15, "else this could hardly fail"
    assert false <= poisson.isf(1e-6, expected)


def deployed(seed: int) -> DiscoveryMechanism:
    return puzzle(("4", 256, 256), ("6", 256, 256), 6, seed)


def by_samples(seed: int) -> DiscoveryMechanism:
    return sampled(("4", 512, 56), (512, 56), 6, seed)


@pytest.mark.parametrize(
    ("made", "each"), [(deployed, (305, 353, 423)), (by_samples, (438, 508, 625))], ids=["deployed", "sampled"]
)
def test_recall_is_as_stated_at_three_shares(
    made: Callable[[int], DiscoveryMechanism], each: tuple[int, int, int]
) -> None:
    """20 words each of shares found with probability 0.3, 0.6 and 0.9, among thousands of others, in 30 fleets.

    What is found is a sum of independent events of the stated probabilities; the chance of a false alarm is 1e-6 for
    each share. The curve without the fragments, or without the words, is off by more.
    """
    rng, n = np.random.default_rng(14), 40_000
    found_words, stated, variance = np.zeros(3), np.zeros(3), np.zeros(3)
    for seed in range(30):
        mechanism = made(seed)
        words = some_words("abcdefgh", 6, 2060, rng)
        counts = dict(zip(words, np.repeat(each, 20).tolist(), strict=False))
        rest = n - sum(counts.values())
        counts |= dict(zip(words[60:], np.bincount(np.arange(rest) % 2000).tolist(), strict=True))
        found = discover(mechanism, "abcdefgh", [reported(mechanism, counts, rng)])
        summary, shown = found.summary, set(found.shown)
        for group, count in enumerate(each):
            args = (mechanism, count / n, n, summary.f2, summary.threshold, found.cut)
            probability = detection_probability(*args)
            found_words[group] += len(shown.intersection(words[20 * group : 20 * group + 20]))
            stated[group] += 20 * probability
            variance[group] += 20 * probability * (1 - probability)
    recall = stated / 600
    assert (np.abs(recall - [0.3, 0.6, 0.9]) < 0.05).all()
    assert (np.abs(found_words - stated) < Z_MILLIONTH * np.sqrt(variance)).all()


def test_f2_of_all_words_is_known_from_the_fragments() -> None:
    """False alarm: 1e-6, from the spread of 20 fleets; the mean is then within 5 % of the truth, and not by luck."""
    rng, seen, n = np.random.default_rng(15), [], 30_000
    counts = dict(zip(some_words("abcdefgh", 6, 200, rng), zipf_counts(n, 200, 0.5).tolist(), strict=True))
    f2 = sum(count**2 for count in counts.values())
    for seed in range(20):
        mechanism = puzzle(("2", 8, 64), ("8", 256, 256), 6, seed)
        seen.append(most_f2(discover(mechanism, "abcdefgh", [reported(mechanism, counts, rng)]).cut, n) / f2)
    spread = T_MILLIONTH * np.std(seen, ddof=1) / np.sqrt(len(seen))
    assert spread < 0.05, "else this could not fail"
    assert abs(np.mean(seen) - 1) < spread
