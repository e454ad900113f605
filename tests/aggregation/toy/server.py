from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aggregation.estimation import Members, Reports, SecondMoment, upper_quantile
from aggregation.registry import State

from .encoding import BOXES, Encoding


class Server(Encoding):
    @property
    def debiased(self) -> "Debiased":
        return Debiased(self.own, self.other)

    @property
    def collisions(self) -> None:
        return None

    @property
    def keys_per_division(self) -> None:
        return None

    @property
    def divisions(self) -> int:
        return 1

    def points(self, elements: Sequence[str]) -> NDArray[Any]:
        return np.array([self.index_of(element) for element in elements], np.intp)

    def read_out(
        self, shards: Sequence[NDArray[Any]], points: NDArray[Any], start: int, stop: int, stream: str = BOXES[0]
    ) -> NDArray[np.int64]:
        tables = [self._table(stream, shard) * (stop - start) for shard in shards]
        return np.array(tables, np.int64).reshape(len(shards), -1)[:, points]

    def candidate_probability(
        self, shares: NDArray[np.float64], n: int, f2: float, letters: int
    ) -> NDArray[np.float64]:
        return np.ones(len(shares))

    def empty_state(self) -> State:
        return {box: np.zeros(len(self.letters), np.int32) for box in BOXES}

    def add_to_state(self, state: State, streams: Mapping[str, NDArray[Any]]) -> None:
        for stream, records in streams.items():
            state[stream] += self._table(stream, records).astype(np.int32)

    def read_state(self, state: State, points: NDArray[Any]) -> NDArray[np.int64]:
        totals: NDArray[np.int64] = np.sum([state[box][points] for box in BOXES], axis=0, dtype=np.int64)
        return totals

    def _table(self, stream: str, records: NDArray[Any]) -> NDArray[np.int64]:
        return np.bincount(self.flipped(stream, records["letter"]), minlength=len(self.letters))


@dataclass(frozen=True)
class Debiased:
    name: ClassVar[str] = "debiased"

    own: float
    other: float

    def estimate(self, read_out: NDArray[Any], n: int, members: Members = 1) -> NDArray[np.float64]:
        counts = np.asarray(read_out, np.float64)
        return (counts - n * np.asarray(members) * self.other) / (self.own - self.other)

    def variance(
        self, count: NDArray[np.float64], n: Reports, f2: SecondMoment, members: Members = 1
    ) -> NDArray[np.float64]:
        f, own, other = np.clip(count, 0, n), self.own + (members - 1) * self.other, members * self.other
        variance: NDArray[np.float64] = f * own * (1 - own) + (n - f) * other * (1 - other)
        return variance / (self.own - self.other) ** 2

    def threshold(self, n: int, alpha: float, f2: float, members: int = 1) -> float:
        rare = upper_quantile(n, members * self.other, alpha)
        return float(self.estimate(np.array([rare]), n, members)[0])
