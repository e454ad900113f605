"""Audits of clients that send subsets of a dictionary: the shipped ones pass, and broken ones are found.

Every check is made at α = 1e-6, and there are ten in an audit. The devices' randomness is the operating system's and
new in every run.
"""

import sys

import pytest

from aggregation.audit import Client, Outcome, audit, browser_client, python_client, runs_needed, sentence
from aggregation.mechanisms import SubsetSelection
from tests.aggregation.audit.broken import SCRIPT
from tests.aggregation.helpers import Z_MILLIONTH

pytestmark = pytest.mark.statistical

ELEMENTS = [f"e{number:02}" for number in range(24)]


def audited(mechanism: SubsetSelection, client: Client, runs: int) -> Outcome:
    return audit(mechanism, ["e03", "e20"], client, runs, lambda _done, _of: None)


@pytest.mark.parametrize(
    ("kind", "epsilon", "w", "runs"),
    [("python", 0.5, 9, 76_000), ("python", 6, 1, 4000), ("browser", 0.5, 9, 4000), ("browser", 6, 1, 4000)],
)
def test_the_shipped_clients_give_away_what_they_may(kind: str, epsilon: float, w: int, runs: int) -> None:
    """At ε = 0.5 the most runs are enough to judge the estimate; at ε = 6 it is that of lies."""
    client = python_client() if kind == "python" else browser_client(SCRIPT)
    mechanism = SubsetSelection.of(epsilon, ELEMENTS, w, other=epsilon > 4)
    outcome = audited(mechanism, client, runs)
    assert outcome.faults == (), [sentence(mechanism, fault) for fault in outcome.faults]
    assert outcome.measured.limit < outcome.epsilon
    assert abs(outcome.measured.estimate - outcome.epsilon) < Z_MILLIONTH * outcome.measured.error
    assert outcome.needed == runs_needed(mechanism)
    assert outcome.enough == (runs > 10_000)


# Sets that a server would take, and an observer could tell the element by: neighbours, or every other element.
NEIGHBOURS = """
import json
from aggregation.randomness import device_below
for line in open(0):
    asked = json.loads(line)
    own = asked["dictionary"].index(asked["element"])
    for _ in range(asked["runs"]):
        {subset}
        print(*sorted({{*subset}}), sep=",")
    print(end="", flush=True)
"""


@pytest.mark.parametrize(
    ("subset", "fault"),
    [
        ("first = own - device_below(2) - 2; subset = [(first + i) % 24 for i in range(6)]", "others"),
        ("first = device_below(24); subset = [(first + i) % 24 for i in range(6)]", "dependent elements"),
    ],
    ids=["around the own", "anywhere"],
)
def test_subsets_of_neighbours_are_found(subset: str, fault: str) -> None:
    program = NEIGHBOURS.format(subset=subset)
    outcome = audited(SubsetSelection.of(1, ELEMENTS, 6), Client("python", (sys.executable, "-c", program)), 4000)
    assert fault in outcome.faults
