"""The stated standard errors against the errors of simulated audits, and the runs that follow from them."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from aggregation.audit import Measured, evidence, runs_needed
from aggregation.mechanisms import Mechanism
from aggregation.mechanisms.count_mean_sketch.audit import BitTally
from aggregation.mechanisms.hadamard_count_mean_sketch.audit import SignTally
from aggregation.mechanisms.local_hashing.audit import BucketTally
from aggregation.mechanisms.sequence_fragment_puzzle.audit import HalvesTally
from aggregation.registry import part_of
from tests.aggregation.helpers import count_mean, fragment_puzzle, hadamard_count_mean, local_hashing

pytestmark = pytest.mark.statistical

# Repetitions; the standard deviation of so many estimates is off by less than 5/√(2·300), but for a chance of 1e-6.
TIMES, RUNS = 300, 4000
WORDS = np.arange(RUNS) // 2 % 2
WITHIN = 5 / math.sqrt(2 * TIMES)


Client = Callable[[str, np.random.Generator], list[Measured]]


def bits(epsilon: str, rng: np.random.Generator) -> list[Measured]:
    mechanism = count_mean(epsilon, 8, 16)
    tally = BitTally(mechanism, ["d", "e"])
    parts = mechanism.privatize_fleet(["d", "e"], WORDS, rng)
    tally.add(tally.observe(parts["element"], WORDS, 1 - WORDS, WORDS))
    return [tally.by_pairs(), tally.by_bits()]


def signs(epsilon: str, rng: np.random.Generator) -> list[Measured]:
    mechanism = hadamard_count_mean(epsilon, 8, 16)
    tally = SignTally(mechanism, ["d", "e"])
    tally.add(tally.observe(mechanism.privatize_fleet(["d", "e"], WORDS, rng)["element"], WORDS))
    return [tally.loss(), tally.by_all_signs()]


def halves(epsilon: str, rng: np.random.Generator) -> list[Measured]:
    mechanism = fragment_puzzle(epsilon, "0.5", (8, 16), (8, 16))
    tally = HalvesTally(mechanism, ["wyd_", "lmao"])
    tally.add(tally.observe(mechanism.privatize_fleet(["wyd_", "lmao"], WORDS, rng), WORDS))
    return [tally.by_pairs(), tally.by_bits()]


def buckets(epsilon: str, rng: np.random.Generator) -> list[Measured]:
    mechanism = local_hashing(epsilon, 8, 7)
    tally = BucketTally(mechanism, ["d", "e"])
    parts = mechanism.privatize_fleet(["d", "e"], WORDS, rng)
    tally.add(tally.observe(parts["element"], WORDS, 1 - WORDS, WORDS))
    return [tally.by_buckets(), tally.by_lies()]


@pytest.mark.parametrize("client", [bits, signs, halves, buckets])
@pytest.mark.parametrize("epsilon", ["0.5", "2"])
def test_estimates_err_as_stated(client: Client, epsilon: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean is ε as well, within five of its standard errors and what the log bends, less than error².

    Limits are not asked for: they take longer than all the rest.
    """
    monkeypatch.setattr(evidence, "lowest", lambda *_: 0.0)
    monkeypatch.setattr(evidence, "highest", lambda *_: 1.0)
    rng = np.random.default_rng(5)
    measured = [client(epsilon, rng) for _ in range(TIMES)]
    truth = float(epsilon) + (0.5 if client is halves else 0)
    for kind in zip(*measured, strict=True):
        estimates, error = np.array([each.estimate for each in kind]), kind[0].error
        assert estimates.std() == pytest.approx(error, rel=WITHIN + 0.1)
        assert estimates.mean() == pytest.approx(truth, abs=5 * error / math.sqrt(TIMES) + error**2)


def test_runs_for_the_deployed_parameters() -> None:
    assert runs_needed(count_mean("2", 65536, 256)) == pytest.approx(142_500, rel=1e-3)
    assert runs_needed(count_mean("4", 65536, 1024)) == pytest.approx(648_500, rel=1e-3)
    assert runs_needed(count_mean("8", 65536, 1024)) == pytest.approx(512_300, rel=1e-3)
    assert runs_needed(hadamard_count_mean("4", 1024, 32768)) == pytest.approx(1_023_700, rel=1e-3)
    assert runs_needed(local_hashing("4", 65536, 56)) == pytest.approx(1_027_300, rel=1e-3)
    assert runs_needed(local_hashing("8", 65536, 2982)) == pytest.approx(36_160, rel=1e-3)
    assert runs_needed(fragment_puzzle("2", "6", (2048, 1024), (2048, 1024))) == pytest.approx(246_300, rel=1e-3)


@pytest.mark.parametrize(
    ("mechanism", "elements"),
    [
        (count_mean("2", 8, 16), ["d", "e"]),
        (count_mean("5", 8, 16), ["d", "e"]),
        (hadamard_count_mean("3", 8, 16), ["d", "e"]),
        (local_hashing("3", 8, 16), ["d", "e"]),
        (local_hashing("5", 8, 100), ["d", "e"]),
        (fragment_puzzle("1", "2"), ["wyd_", "lmao"]),
        (fragment_puzzle("2", "6"), ["wyd_", "lmao"]),
    ],
)
def test_with_the_runs_needed_the_estimate_can_be_judged(mechanism: Mechanism, elements: list[str]) -> None:
    needed = runs_needed(mechanism)
    for runs, can_tell in ((needed, True), (needed - needed // 1000, False)):
        tally = part_of(mechanism, "audit").tally(mechanism, elements)
        tally.runs = runs
        assert tally.loss().can_tell == can_tell


def test_an_estimate_is_judged_where_the_tolerance_is_wide_enough() -> None:
    enough = Measured.TOLERANCE / Measured.ERRORS_IN_TOLERANCE
    too_large = 1.01 * enough
    assert Measured(3.9, 4.06, enough).faults("pairs", 4) == {"estimate of pairs"}
    assert Measured(3.9, 4.04, enough).faults("pairs", 4) == set()
    assert Measured(3.9, 4.06, too_large).faults("pairs", 4) == set()
    assert Measured(4.01, 4.06, too_large).faults("pairs", 4) == {"epsilon of pairs"}
    assert Measured(-math.inf, math.inf, enough).faults("pairs", 4) == {"estimate of pairs"}
