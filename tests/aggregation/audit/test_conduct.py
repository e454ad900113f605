"""Whole audits of clients that run as programs. The shipped ones pass; broken ones fail for what is broken.

Honest clients draw from the operating system: each of their audits raises a false alarm with a chance below 4e-5.
"""

import sys
from pathlib import Path

import pytest

from aggregation.audit import Client, ClientError, Measured, Outcome, audit, browser_client, python_client
from aggregation.mechanisms import Mechanism, SubsetSelection
from tests.aggregation.audit.broken import SCRIPT, broken_browser_client
from tests.aggregation.helpers import count_mean, fragment_puzzle, hadamard_count_mean, local_hashing, sampled_puzzle

pytestmark = pytest.mark.statistical

WORDS = ["wyd_", "lmao"]
BITS, HALVES = count_mean("2", 64, 128), fragment_puzzle("1", "2")
MECHANISMS: dict[str, Mechanism] = {
    "bits": BITS,
    "signs": hadamard_count_mean("2", 64, 128),
    "halves": HALVES,
    "buckets": local_hashing("2", 64, 8),
    "samples": sampled_puzzle("1", (64, 4), (64, 4), share="0.6"),
    "subsets": SubsetSelection.of(1, [*WORDS, *map(str, range(22))]),
}


def of_both(*faults: str) -> set[str]:
    return {f"{half}: {fault}" for half in ("words", "fragments") for fault in faults}


def audited(mechanism: Mechanism, client: Client, runs: int) -> Outcome:
    return audit(mechanism, WORDS, client, runs, lambda _done, _of: None)


# Python's devices report one by one by the hundred thousand in the audits of each mechanism, but words or fragments.
@pytest.mark.parametrize(
    ("name", "kind"), [*((name, "browser") for name in MECHANISMS if name != "subsets"), ("samples", "python")]
)
def test_nothing_is_found_in_the_shipped_clients(name: str, kind: str) -> None:
    outcome = audited(MECHANISMS[name], python_client() if kind == "python" else browser_client(SCRIPT), 4000)
    assert outcome.faults == ()
    assert outcome.measured.limit < outcome.epsilon
    assert outcome.measured.estimate == pytest.approx(outcome.epsilon, abs=5.5 * outcome.measured.error)
    assert not outcome.enough
    assert not outcome.passes


EXPECTED = {
    "twice_epsilon": {
        "signs": {"epsilon of signs"},
        "halves": {"epsilon of both"},
        "samples": of_both("epsilon of lies", "epsilon of buckets", "rate of lies"),
        "subsets": {"epsilon of lies", "rate of lies"},
    },
    "lies_to_the_own_bucket": {"samples": of_both("epsilon of lies", "rate of lies")},
    "own_among_others": {"subsets": {"epsilon of lies", "rate of lies"}},
    "word_and_fragment_sent": {"samples": {"kinds", "dependent kinds"}},
    "seeded_for_each_report": {
        "signs": {"dependent reports", "replayed", "rows", "coordinates"},
        "halves": {*of_both("dependent reports"), "words: replayed", "repeated records"},
        "samples": {"kinds", "dependent kinds", "kinds replayed"},
        "subsets": {"dependent reports", "replayed", "others"},
    },
    "seeded_at_the_start": {
        "signs": {"replayed"},
        "halves": of_both("replayed"),
        "samples": {"kinds replayed", *of_both("replayed")},
        "subsets": {"replayed"},
    },
}


@pytest.mark.parametrize(("how", "name"), [(how, name) for how, names in EXPECTED.items() for name in names])
def test_broken_clients_are_found(how: str, name: str, tmp_path: Path) -> None:
    """An audit sees lines alone: who has them sent does not matter.

    The smallest fault, of lies of which a quarter are none, is 13 of 100 reports. 1,600 fragments find it but for a
    chance of 1e-6; with as many false alarms it takes (9.5 · 0.5/0.13)² = 1,330.
    """
    outcome = audited(MECHANISMS[name], broken_browser_client(how, tmp_path), 4000)
    assert set(outcome.faults) >= EXPECTED[how][name]
    assert not outcome.passes
    if how == "twice_epsilon":
        assert outcome.measured.limit > outcome.epsilon


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
        count_mean("0.5", 8, 8), ["d", "e"], browser_client(SCRIPT), 2001, lambda done, of: told.append((done, of))
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
    audit(mechanism, WORDS, browser_client(SCRIPT), 1000, lambda done, _of: told.append(done))
    assert told[-1] == 1000
    assert len(told) == (2 if mechanism is not HALVES else 1)
