"""A task of a few numbers, in which it is easy to see what a role does; as programs with and without noise."""

import sys
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from aggregation.training import Examples, Release, Shared, Sums
from aggregation.training.roles import Catalogue, Layout, Refusal, Refused, Released, aggregator, distributor
from aggregation.training.roles.process import serve

CATALOGUE: Final = Catalogue(40)
TASK: Final = {
    "slug": "tiny",
    "report_goal": 10,
    "rounds": 6,
    "sampling_rate": 1.0,
    "minimum_separation": 1,
    "noise": 0.0,
}
CLIP_NORM: Final = 2.0
MOST: Final = 4
Numbers = NDArray[Any]


class TinyWork:
    """Two numbers for each item, of at most four items a device."""

    def __init__(self, task: Mapping[str, Any], catalogue: Catalogue, purpose: str) -> None:
        self.items = catalogue.items
        self.rounds: int = task["rounds"]
        self.report_goal: int = task["report_goal"]
        self.sampling_rate: float = task["sampling_rate"]
        self.held_out_share = 0.0
        self.separation: int = task["minimum_separation"]
        self.over_selection = 1.0
        self.counting_share = self.sampling_rate / self.separation
        self.most_examples = self.most_rows = MOST
        self.layout = Layout(self.separation, MOST, 2 * MOST)
        self._deviation: float = task["noise"]

    def noise(self, number: int) -> dict[str, float]:
        return {"sum": self._deviation}

    def check_shared(self, shared: Shared) -> None:
        pass

    def broadcast(self, shared: Shared, items: Numbers) -> Shared:
        return {"weights": shared["weights"][np.maximum(items, 0)]}

    def examples(self, own: Examples) -> Examples:
        return own

    def contribution(self, broadcast: Shared, examples: Examples) -> tuple[Numbers, Numbers]:
        count = len(examples.items)
        items, vector = np.full(MOST, -1), np.zeros(2 * MOST)
        items[:count] = examples.items
        vector[: 2 * count] = (examples.values[:, None] + broadcast["weights"][:count]).ravel()
        return items, clipped(vector)

    def empty(self) -> Sums:
        return {"sum": np.zeros((self.items, 2)), "people": np.zeros(())}

    def checked(self, items: Numbers, vector: Numbers) -> tuple[Numbers, Numbers]:
        numbers = vector.astype(np.float64)
        used = items[: np.count_nonzero(items != -1)]
        if not np.isfinite(numbers).all():
            raise Refused(Refusal.NOT_FINITE)
        if np.any((used < 0) | (used >= self.items)) or len(np.unique(used)) < len(used):
            raise Refused(Refusal.ITEMS)
        if np.linalg.norm(numbers) > CLIP_NORM * (1 + 1e-4):
            raise Refused(Refusal.NORM)
        return used, clipped(numbers)[: 2 * len(used)]

    def add(self, sums: Sums, contribution: tuple[Numbers, Numbers]) -> None:
        items, numbers = contribution
        sums["sum"][items] += numbers.reshape(-1, 2)
        sums["people"] += 1

    def releases(self, sums: Sums, number: int) -> list[Release]:
        noise = np.random.default_rng().normal(0, 1, sums["sum"].shape) * self._deviation
        noisy = Release("sum", number, CLIP_NORM, self._deviation, sums["sum"] + noise)
        # A release that no real task makes, and tests have to know.
        return [noisy, Release("people", number, 1, 0, sums["people"])]


def people_in(released: Released) -> int:
    """Return how many contributions were added."""
    return int(released.releases[1].array)


def clipped(vector: Numbers) -> Numbers:
    norm = float(np.linalg.norm(vector))
    return vector * min(1.0, CLIP_NORM / norm) if norm > 0 else vector


if __name__ == "__main__":
    role = sys.argv.pop(1)
    chosen = {"aggregator": aggregator, "distributor": distributor}[role]
    serve(role, chosen.USER, lambda kept: chosen.answers(kept, TinyWork))
