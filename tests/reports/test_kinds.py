"""Kinds of use cases: what differs between them is looked up, not asked for."""

from types import SimpleNamespace

import pytest

from aggregation.mechanisms import MECHANISMS
from reports.kinds import COUNTING, DISCOVERY, KINDS, ByKind, kind_of, kind_of_algorithm, puzzle_of

pytestmark = pytest.mark.exact


def test_by_kind_has_an_implementation_for_each_kind() -> None:
    found = ByKind(counting="c", discovery="d")
    assert {kind: getattr(found, kind) for kind in KINDS} == {"counting": "c", "discovery": "d"}
    for algorithm in MECHANISMS:
        version = SimpleNamespace(algorithm=algorithm)
        assert found.of(version) == {COUNTING: "c", DISCOVERY: "d"}[kind_of(version)]
    assert found.of(None) == "c"
    counting = SimpleNamespace(algorithm=next(name for name in MECHANISMS if kind_of_algorithm(name) is COUNTING))
    assert dict(found.groups([counting])) == {"c": [counting], "d": []}


def test_puzzle_of_what_counts_is_refused() -> None:
    counting = SimpleNamespace(mechanism=SimpleNamespace(kind="counting"))
    with pytest.raises(LookupError, match="discovers no words"):
        puzzle_of(counting)
