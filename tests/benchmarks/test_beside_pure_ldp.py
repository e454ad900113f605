"""The benchmark beside pure-LDP asks both sides the same, and compares what they answer."""

import sys
from collections import Counter
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.beside_pure_ldp import ours, pairs, ratio, theirs
from benchmarks.measuring import zipf_counts


class Client:
    """Sends the element itself."""

    def __init__(self, epsilon: float, **_given: Any) -> None: ...

    def privatise(self, element: int) -> int:
        return element


class Server:
    """Counts what is sent; elements are numbered from 1."""

    def __init__(self, epsilon: float, **_given: Any) -> None:
        self.counted: Counter[int] = Counter()

    def get_hash_funcs(self) -> list[Any]:
        return []

    def aggregate_all(self, reports: Iterable[int]) -> None:
        self.counted.update(reports)

    def estimate_all(self, elements: Iterable[int], suppress_warnings: bool) -> list[int]:
        return [self.counted[element] for element in elements]


@pytest.mark.exact
def test_oracles_that_keep_nothing_secret_have_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {f"{pair.theirs}{side.__name__}": side for pair in pairs() for side in (Client, Server)}
    monkeypatch.setitem(sys.modules, "pure_ldp", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "pure_ldp.frequency_oracles", SimpleNamespace(**names))
    for pair in pairs():
        assert theirs(pair, np.array([3, 0, 2, 1])).error == 0


@pytest.mark.statistical
def test_every_mechanism_here_is_privatised_added_up_and_estimated() -> None:
    """False alarm below 1e-9: a mean of 256 squares is below 40 times what it is expected to be."""
    for pair in pairs():
        found = ours(pair, zipf_counts(500, 256))
        assert 0 < found.error < 40 * 3000
        assert min(found.privatize, found.add, found.estimate) >= 0


@pytest.mark.exact
def test_the_ratio_has_the_relative_errors_of_both_sides_added_in_squares() -> None:
    found, error = ratio([10, 14], [2, 4])
    assert found == 4
    assert error == pytest.approx(4 * (np.hypot(2 / 12, 1 / 3)))


@pytest.mark.exact
def test_counts_add_up_to_the_reports() -> None:
    assert zipf_counts(20_000, 256).sum() == 20_000
