"""Audit of subsets: subset selection."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...arrays import Array, Flags, Places
from ...audit import MOST_EPSILON_OF_EVENTS, Events, Measured, are_binomial, failed, loss_of_flips, runs_for
from ..one_stream import STREAM
from .mechanism import SubsetSelection
from .members import hypergeometric, log_subsets

FAULTS: Final = {
    "epsilon of pairs": "subsets with one of two elements and not the other tell them apart by more than ε",
    "estimate of pairs": "the estimate from subsets with one of two elements is above ε + 0.05",
    "epsilon of lies": "the own element is left out too seldom: subsets give away more than ε",
    "estimate of lies": "the estimate from how often the own element is left out is above ε + 0.05",
    "rate of lies": "the own element is not left out as often as ε says",
    "others": "the other elements of a subset are not uniform, or depend on the own one",
    "dependent elements": "the elements of a subset depend on each other",
}


def runs_needed(mechanism: SubsetSelection) -> int:
    return runs_for(_error(mechanism, 1))


def log_chance_of_repeat(mechanism: SubsetSelection) -> float:
    """Return log(p²/C(D-1, w-1) + (1-p)²/C(D-1, w)): two subsets with the own element are equal, or two without."""
    own, foreign = _log_chances_of_equal(mechanism)
    return float(np.logaddexp(own, foreign))


def _log_chances_of_equal(mechanism: SubsetSelection) -> tuple[float, float]:
    size, w, p = mechanism.size, mechanism.w, mechanism.own
    return 2 * math.log(p) - log_subsets(size - 1, w - 1), 2 * math.log1p(-p) - log_subsets(size - 1, w)


def _error_of_pairs(mechanism: SubsetSelection, runs: int) -> float:
    """Return the standard error of the log ratio of {own in, other out} and {own out, other in}."""
    size, w, p = mechanism.size, mechanism.w, mechanism.own
    said, unsaid = p * (size - w) / (size - 1), (1 - p) * w / (size - 1)
    return math.sqrt((1 / said + 1 / unsaid) / runs)


def _error_of_lies(mechanism: SubsetSelection, runs: int) -> float:
    return math.sqrt(1 / (mechanism.own * (1 - mechanism.own) * runs))


def _by_pairs(mechanism: SubsetSelection) -> bool:
    return mechanism.epsilon <= MOST_EPSILON_OF_EVENTS


def _error(mechanism: SubsetSelection, runs: int) -> float:
    return _error_of_pairs(mechanism, runs) if _by_pairs(mechanism) else _error_of_lies(mechanism, runs)


@dataclass(frozen=True)
class SubsetReports:
    """Reports about one of two words each: the records, which elements are in them, and which lack their own."""

    words: Places
    records: Array
    members: Flags
    lies: Flags

    def every(self, part: slice) -> "SubsetReports":
        return SubsetReports(self.words[part], self.records[part], self.members[part], self.lies[part])


class _Together:
    """Test of whether two series of reports about the same words agree by no more than chance."""

    def __init__(self, mechanism: SubsetSelection) -> None:
        both = (1 - mechanism.own) ** 2
        self._chances = np.array([both, *np.exp(_log_chances_of_equal(mechanism))])
        self._pairs, self._seen = 0, np.zeros(3, np.int64)

    def add(self, one: SubsetReports, other: SubsetReports) -> None:
        """Count where both lie, and where they are equal, without a lie or with one."""
        equal, lies = one.records == other.records, one.lies & other.lies
        self._pairs += len(equal)
        self._seen += [int(lies.sum()), int((equal & ~lies).sum()), int((equal & lies).sum())]

    def is_chance(self) -> bool:
        # A chance that is 0 in floating point is as good as one that is nearly 0.
        return are_binomial(self._seen, np.full(3, self._pairs), np.maximum(self._chances, 1e-300))


class SubsetTally:
    """Counts over subsets, a batch at a time.

    Parameters
    ----------
    mechanism : SubsetSelection
        Mechanism that the client was given, with its dictionary.
    elements : sequence of str
        The two words.
    """

    def __init__(self, mechanism: SubsetSelection, elements: Sequence[str]) -> None:
        self.mechanism, self.runs = mechanism, 0
        self._places = np.array([mechanism.index_of(element) for element in elements], np.intp)
        self._events = Events()
        bits = (mechanism.size - 1).bit_length()
        # By word, and whether the own element is left out.
        self._reports = np.zeros((2, 2), np.int64)
        self._others = np.zeros((2, 2, mechanism.size), np.int64)
        self._halves = np.zeros((2, 2, bits, mechanism.w + 1), np.int64)
        self._successive, self._twins = _Together(mechanism), _Together(mechanism)

    def read(self, lines: Sequence[str], words: Places) -> SubsetReports:
        """Look at the lines of a client."""
        records = self.mechanism.parse_records(lines).streams[STREAM]
        members = np.zeros((len(records), self.mechanism.size), bool)
        indexes = np.concatenate(list(self.mechanism.unpacked(records)))
        members[np.arange(len(records))[:, None], indexes] = True
        return SubsetReports(words, records, members, ~members[np.arange(len(records)), self._places[words]])

    def add(self, seen: SubsetReports) -> None:
        """Count an even number of successive reports of one client."""
        rows = np.arange(len(seen.words))
        self.runs += len(rows)
        other = seen.members[rows, self._places[1 - seen.words]]
        self._events.add(seen.words, np.ones(len(rows), bool), ~seen.lies & ~other, seen.lies & other)
        for word in (0, 1):
            for lie in (0, 1):
                chosen = seen.members[(seen.words == word) & (seen.lies == lie)]
                self._reports[word, lie] += len(chosen)
                self._others[word, lie] += chosen.sum(axis=0)
                for bit in range(self._halves.shape[2]):
                    marked = np.arange(self.mechanism.size) >> bit & 1 == 1
                    marked[self._places[word]] = False
                    of_all = chosen[:, marked].sum(axis=1)
                    self._halves[word, lie, bit] += np.bincount(of_all, minlength=self.mechanism.w + 1)
        self._successive.add(seen.every(slice(0, None, 2)), seen.every(slice(1, None, 2)))

    def add_twins(self, one: SubsetReports, other: SubsetReports) -> None:
        """Compare what two clients, each started anew, sent in the same order."""
        self._twins.add(one, other)

    def by_pairs(self) -> Measured:
        """The loss by subsets with one of the two words and without the other."""
        return self._events.measured(_error_of_pairs(self.mechanism, self.runs))

    def by_lies(self) -> Measured:
        """The loss by how often the own element is left out, the others being uniform: (1-r)/r·(D-w)/w."""
        size, w = self.mechanism.size, self.mechanism.w
        lies = int(self._reports[:, 1].sum())
        measured = loss_of_flips([(lies, self.runs)], _error_of_lies(self.mechanism, self.runs))
        beside = math.log((size - w) / w)
        return Measured(measured.limit + beside, measured.estimate + beside, measured.error)

    def loss(self) -> Measured:
        return self.by_pairs() if _by_pairs(self.mechanism) else self.by_lies()

    def faults(self) -> set[str]:
        """Return what is wrong, each with a chance of at most α with an honest client; there are nine checks."""
        epsilon = float(self.mechanism.epsilon)
        wrong = self.by_pairs().faults("pairs", epsilon) | self.by_lies().faults("lies", epsilon)
        if self._events.limit_one_way() > epsilon:
            wrong.add("epsilon of pairs")
        checks = {
            "rate of lies": are_binomial(self._reports[:, 1], self._reports.sum(axis=1), 1 - self.mechanism.own),
            "others": self._are_uniform(),
            "dependent elements": self._are_independent(),
            "dependent reports": self._successive.is_chance(),
            "replayed": self._twins.is_chance(),
        }
        return wrong | failed(checks)

    def _are_uniform(self) -> bool:
        """Say whether each other element comes as often as any: in (w-1)/(D-1) or, if the own is left out, w/(D-1)."""
        size, w = self.mechanism.size, self.mechanism.w
        counts = [np.delete(self._others[word], self._places[word], axis=1) for word in (0, 1)]
        chance = np.array([w - 1, w])[:, None] / (size - 1)
        possible = chance[:, 0] > 0
        return are_binomial(np.array(counts)[:, possible], self._reports[:, possible, None], chance[possible])

    def _are_independent(self) -> bool:
        """Say whether as many others as should be have each bit in their number, subset by subset."""
        size, w = self.mechanism.size, self.mechanism.w
        seen, trials, chances = [], [], []
        for word, place in enumerate(self._places.tolist()):
            for bit in range(self._halves.shape[2]):
                marked = int((np.arange(size) >> bit & 1).sum()) - (place >> bit & 1)
                for lie in (0, 1):
                    seen.append(self._halves[word, lie, bit])
                    trials.append(np.full(w + 1, self._reports[word, lie]))
                    chances.append(hypergeometric(size - 1, marked, w - 1 + lie, w + 1))
        of, expected = np.concatenate(seen), np.concatenate(chances)
        possible = expected > 0
        return bool((of[~possible] == 0).all()) and are_binomial(
            of[possible], np.concatenate(trials)[possible], np.minimum(expected[possible], 1.0)
        )


tally = SubsetTally
