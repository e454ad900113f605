"""Contents of each mechanism's audit."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from aggregation.audit import runs_needed, sentence
from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS, Mechanism, SubsetSelection
from aggregation.registry import part_of
from tests.aggregation.helpers import count_mean, fragment_puzzle, hadamard_count_mean, local_hashing, sampled_puzzle

pytestmark = pytest.mark.exact

WORDS = ["wyd_", "lmao"]
EACH: list[Mechanism] = [
    count_mean("2", 8, 16),
    hadamard_count_mean("2", 8, 16),
    fragment_puzzle("2", "6"),
    local_hashing("2", 8, 8),
    sampled_puzzle("2", (8, 8), (8, 8)),
    SubsetSelection.of(2, [*WORDS, *"abcdefgh"]),
]


def test_there_is_an_audit_of_every_mechanism() -> None:
    assert {type(mechanism) for mechanism in EACH} == set(MECHANISMS.values())
    for mechanism in EACH:
        assert runs_needed(mechanism) > 0
        part_of(mechanism, "audit").tally(mechanism, WORDS)


def test_of_another_there_is_none() -> None:
    other: Any = SimpleNamespace(algorithm="Telepathy")
    with pytest.raises(ParameterError, match="Telepathy has no audit"):
        runs_needed(other)


@pytest.mark.parametrize("mechanism", EACH)
def test_every_fault_has_a_sentence(mechanism: Mechanism) -> None:
    """A client that sends the same record for ever has nearly all faults there are."""
    tally, words = part_of(mechanism, "audit").tally(mechanism, WORDS), np.repeat([0, 1], 2000)
    seen = tally.read([mechanism.privatize(WORDS[0])] * 4000, words)
    tally.runs = 10**7  # so that estimates are judged
    tally.add(seen)
    tally.add_twins(seen, seen)
    found = tally.faults()
    assert len(found) > 4
    for fault in found:
        assert sentence(mechanism, fault)
    with pytest.raises(KeyError):
        sentence(mechanism, "another")


def test_a_sentence_names_the_half() -> None:
    assert sentence(EACH[2], "words: rate of a bit") == "words: a bit is not flipped as often as ε says"
    assert sentence(EACH[2], "dependent halves").startswith("flips of the word")
