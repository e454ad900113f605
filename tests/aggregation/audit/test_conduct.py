"""Whole audits of clients that run as programs. The shipped ones pass; broken ones fail for what is broken.

Honest clients draw from the operating system: each of their audits raises a false alarm with a chance below 4e-5.
"""

import sys
from pathlib import Path

import pytest

from aggregation.audit import Client, ClientError, Measured, Outcome, audit, browser_client, python_client
from aggregation.mechanisms import Mechanism
from tests.aggregation.audit.broken import BREAKS, SCRIPT, broken_browser_client, broken_python_client
from tests.aggregation.helpers import count_mean, fragment_puzzle, hadamard_count_mean, local_hashing, sampled_puzzle

pytestmark = pytest.mark.statistical

BITS, SIGNS, HALVES = count_mean("2", 64, 128), hadamard_count_mean("2", 64, 128), fragment_puzzle("1", "2")
BUCKETS, SAMPLES = local_hashing("2", 64, 8), sampled_puzzle("2", (64, 8), (64, 8), share="0.6")
MECHANISMS = [
    pytest.param(BITS, id="bits"),
    pytest.param(SIGNS, id="signs"),
    pytest.param(HALVES, id="halves"),
    pytest.param(BUCKETS, id="buckets"),
    pytest.param(SAMPLES, id="samples"),
]
WORDS = ["wyd_", "lmao"]


def audited(mechanism: Mechanism, client: Client, runs: int) -> Outcome:
    return audit(mechanism, WORDS, client, runs, lambda _done, _of: None)


@pytest.mark.parametrize(
    "client", [pytest.param(python_client, id="python"), pytest.param(lambda: browser_client(SCRIPT), id="browser")]
)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_nothing_is_found_in_the_shipped_clients(client, mechanism: Mechanism) -> None:  # type: ignore[no-untyped-def]
    outcome = audited(mechanism, client(), 4000)
    assert outcome.faults == ()
    assert outcome.measured.limit < outcome.epsilon
    assert outcome.measured.estimate == pytest.approx(outcome.epsilon, abs=5.5 * outcome.measured.error)
    assert not outcome.enough
    assert not outcome.passes


# Expected faults of a broken client: of one that sends a sign, and of one that sends two bit vectors.
EXPECTED = {
    "twice_epsilon": ({"epsilon of signs"}, {"epsilon of both"}),
    "hot_bit_kept": ({"epsilon of signs"}, {"epsilon of both"}),
    "seeded_for_each_report": (
        {"dependent reports", "replayed", "rows", "coordinates"},
        {"words: dependent reports", "fragments: dependent reports", "words: replayed", "repeated records"},
    ),
    "seeded_at_the_start": ({"replayed"}, {"words: replayed", "fragments: replayed"}),
}


@pytest.mark.parametrize("how", BREAKS)
@pytest.mark.parametrize("kind", ["python", "browser"])
def test_broken_clients_are_found(kind: str, how: str, tmp_path: Path) -> None:
    client = broken_python_client(how) if kind == "python" else broken_browser_client(how, tmp_path)
    # Signs and halves come from one of the two: a break is one for all mechanisms.
    signs, halves = EXPECTED[how]
    mechanism: Mechanism = SIGNS if kind == "browser" else HALVES
    expected = signs if kind == "browser" else halves
    outcome = audited(mechanism, client, 4000)
    assert set(outcome.faults) >= expected
    assert not outcome.passes
    if how in {"twice_epsilon", "hot_bit_kept"}:
        assert outcome.measured.limit > outcome.epsilon


LIES = {
    "twice_epsilon": {"epsilon of lies", "epsilon of buckets", "rate of lies"},
    "lies_to_the_own_bucket": {"epsilon of lies", "rate of lies"},
    "seeded_for_each_report": {"dependent reports", "replayed", "rows"},
    "seeded_at_the_start": {"replayed"},
}


@pytest.mark.parametrize("how", LIES)
@pytest.mark.parametrize("kind", ["python", "browser"])
def test_broken_clients_that_send_buckets_are_found(kind: str, how: str, tmp_path: Path) -> None:
    client = broken_python_client(how) if kind == "python" else broken_browser_client(how, tmp_path)
    outcome = audited(BUCKETS, client, 12_000)
    assert set(outcome.faults) >= LIES[how]
    assert not outcome.passes


SAMPLED = {
    "twice_epsilon": {f"{half}: {fault}" for half in ("words", "fragments") for fault in LIES["twice_epsilon"]},
    "lies_to_the_own_bucket": {
        f"{half}: {fault}" for half in ("words", "fragments") for fault in LIES["lies_to_the_own_bucket"]
    },
    "word_and_fragment_sent": {"kinds", "dependent kinds"},
    "seeded_for_each_report": {"kinds", "dependent kinds", "kinds replayed"},
    "seeded_at_the_start": {"kinds replayed", "words: replayed", "fragments: replayed"},
}


@pytest.mark.parametrize("how", SAMPLED)
@pytest.mark.parametrize("kind", ["python", "browser"])
def test_broken_clients_that_send_words_or_fragments_are_found(kind: str, how: str, tmp_path: Path) -> None:
    client = broken_python_client(how) if kind == "python" else broken_browser_client(how, tmp_path)
    outcome = audited(SAMPLES, client, 20_000)
    assert set(outcome.faults) >= SAMPLED[how]
    assert not outcome.passes


REPEATS_ITSELF = """
import json, sys
from aggregation.audit.device_runner import records
for line in sys.stdin:
    request = json.loads(line)
    runs, made = request.pop("runs"), records(**request)
    lines = [next(made) for _ in range(runs)]
    lines[-1] = lines[-3]
    print(*lines, sep="\\n", flush=True)
"""


def test_a_record_that_comes_twice_is_found() -> None:
    outcome = audited(BITS, Client("python", (sys.executable, "-c", REPEATS_ITSELF)), 2000)
    assert outcome.faults == ("repeated records",)


def test_how_far_it_is_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    outcome = audit(
        count_mean("0.5", 8, 8), ["d", "e"], python_client(), 2001, lambda done, of: told.append((done, of))
    )
    assert outcome.runs == 2008
    assert told[-1] == (2008, 2008)
    assert told == sorted(set(told))


def test_without_a_fault_it_passes_where_the_runs_are_enough() -> None:
    measured = Measured(0.5, 0.48, 0.009)
    assert Outcome(90_008, 90_001, 0.5, measured, ()).passes
    assert not Outcome(90_000, 90_001, 0.5, measured, ()).passes
    assert not Outcome(90_008, 90_001, 0.5, measured, ("rows",)).passes


def test_what_the_server_refuses_ends_the_audit() -> None:
    program = "for line in open(0): print('1,' + '0' * 30, *['1,' + '0' * 32] * 3999, sep='\\n', flush=True)"
    with pytest.raises(ClientError, match="refuses a report of the client: wrong_length"):
        audited(BITS, Client("python", (sys.executable, "-c", program)), 16_000)


@pytest.mark.parametrize("mechanism", [count_mean("8", 16, 2**14), HALVES])
def test_long_vectors_come_in_smaller_batches(mechanism: Mechanism) -> None:
    told: list[int] = []
    audit(mechanism, WORDS, python_client(), 1000, lambda done, _of: told.append(done))
    assert told[-1] == 1000
    assert len(told) == (2 if mechanism is not HALVES else 1)
