"""Cells as they are read: which first places hold, what it would cost, and in which order they stand."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

import numpy as np

from aggregation.evaluation import ACCEPTED_RANKS, Shape, chance, names
from aggregation.mechanisms import MECHANISMS
from aggregation.planning import estimate_cost
from reports.evaluation.parameter_words import parameters_text
from reports.mechanisms import title_of

SORTS: Final = ("epsilon", "in-order", "any-order", "ranks", "cost", "error")
# How far counts of places that hold are off over many histograms, as a part of them.
ACCEPTED_SHARE: Final = 0.1
# A chance is called sure if its whole 95 % interval is here or above.
SURE: Final = 0.9
# Nothing is recommended on fewer repetitions: a fault of every seventh histogram is missed by 19 one time in 20.
ENOUGH_REPETITIONS: Final = 20
# A second of one core weighs as much as so many bytes of reports.
_BYTES_A_SECOND: Final = 10**6
# Reports of one size that cost so much more at most cost about the same.
_ABOUT_AS_CHEAP: Final = 1.1


@dataclass(frozen=True)
class CellFacts:
    """A cell of a document with its cost, read for the first places that matter."""

    cell: Mapping[str, Any]
    first: int
    repetitions: int
    # As sent.
    report_bytes: int
    # Seconds for a day's reports, on one core.
    server_seconds: float
    # The cost of sending and counting all reports of a day, in seconds of one core.
    cost: float
    # The squared error that formulas expect of these places if no elements collided; None if none can.
    noise: float | None

    @property
    def distribution(self) -> str:
        return str(self.cell["input"])

    @property
    def epsilon(self) -> float:
        return float(self.cell["epsilon"])

    @property
    def top(self) -> Sequence[Mapping[str, Any]]:
        """The first places that matter; fewer where the input has fewer elements."""
        rows: Sequence[Mapping[str, Any]] = self.cell["top"][: self.first]
        return rows

    @property
    def size(self) -> int:
        return len(self.top)

    @property
    def held(self) -> int:
        """First places, of those that matter, of which each is in about its place and has about its count."""
        rows = zip(self.top, self.cell["delta_r_error"], strict=False)
        fails = (place for place, (row, error) in enumerate(rows) if not _holds(row, error, self.repetitions))
        return next(fails, self.size)

    @property
    def holds(self) -> bool:
        return self.held == self.size

    @property
    def has_order(self) -> bool:
        """Tell whether the true counts of these places differ at all."""
        return len({row["count"] for row in self.top}) > 1 or self.size == 1

    @property
    def sure(self) -> int:
        """The largest number of first places that are surely exactly in order in 9 of 10 histograms."""
        return sum(_is_sure(times, self.repetitions) for times in self.cell["first_in_order"][: self.size])

    def is_sure(self, name: str) -> bool:
        """Tell whether these first places are surely right in 9 of 10 histograms, as in `chance`."""
        return _is_sure(self.cell[name][self.size - 1], self.repetitions)

    def chance(self, name: str) -> dict[str, float]:
        """The chance of these first places: `first_in_order` or `first_in_any_order`."""
        return chance(self.cell[name][self.size - 1], self.repetitions)

    @property
    def name(self) -> str:
        """Mechanism and parameters, in the reader's language."""
        return f"{title_of(self.cell['mechanism'])}, {self.parameters}"

    @property
    def parameters(self) -> str:
        return parameters_text(self.cell["mechanism"], self.cell["parameters"])

    @property
    def delta_e(self) -> float | None:
        """The mean over these places, of elements that occur; None if none does."""
        known = [row["delta_e"] for row in self.top if row["delta_e"] is not None]
        return sum(known) / len(known) if known else None

    @property
    def root_mse(self) -> float:
        return math.sqrt(sum(row["mse"] for row in self.top) / self.size)

    @property
    def root_mse_error(self) -> float | None:
        """Standard error of the simulation; known where all ranks that were read matter."""
        error = self.cell["mean_mse_error"]
        if error is None or self.size < len(self.cell["top"]):
            return None
        # A root has half the relative error.
        return float(error) / (2 * self.root_mse or 1)

    @property
    def expected_root_mse(self) -> float | None:
        expected = self.cell["expected_mse"][: self.size]
        return None if None in expected else math.sqrt(sum(expected) / self.size)

    @property
    def is_limited_by_collisions(self) -> bool:
        """Tell whether a larger ε would not help: collisions are most of the error, or alone put the next count off."""
        if self.noise is None or self.holds:
            return False
        expected = self.expected_root_mse
        return (expected is not None and expected**2 > 2 * self.noise) or self._is_surely_off(self.top[self.held])

    def _is_surely_off(self, row: Mapping[str, Any]) -> bool:
        """Tell whether a count is off for good, by two standard errors of the mean of all repetitions."""
        if row["delta_e"] is None:
            return False
        error = math.sqrt(row["variance"] / self.repetitions) / row["count"]
        return bool(row["delta_e"] - 2 * error > ACCEPTED_SHARE)


def _is_sure(times: int, repetitions: int) -> bool:
    return chance(times, repetitions)["lower"] >= SURE


# The fewest repetitions that can be sure of anything: if it happens in all of them.
REPETITIONS_TO_BE_SURE: Final = next(repetitions for repetitions in count(1) if _is_sure(repetitions, repetitions))


def _holds(row: Mapping[str, Any], error: float | None, repetitions: int) -> bool:
    """Tell whether a place is off by one at most on average, not by luck, and its count is about right over many."""
    in_place = error is not None and row["delta_r"] + _margin(error, repetitions) <= ACCEPTED_RANKS
    return in_place and (row["delta_e"] is None or row["delta_e"] <= ACCEPTED_SHARE)


def _margin(error: float, repetitions: int) -> float:
    """Return by how much ΔR has to be below its line: otherwise luck may have put it there.

    Two standard errors of many repetitions; of few as many as Student's t takes for the same confidence (Abramowitz
    and Stegun 26.7.5). Repetitions that agree have a standard error of 0, but a mean of R whole numbers is no finer
    than 1/R.
    """
    freedom = repetitions - 1
    return (2 + 10 / (4 * freedom) + 294 / (96 * freedom**2)) * max(error, 1 / repetitions)


def facts_of(document: Mapping[str, Any], first: int) -> list[CellFacts]:
    """Read the cells of a document for its first places."""
    inputs = {each["name"]: each for each in document["input"]["distributions"]}
    return [_facts(cell, inputs[cell["input"]], first, document["R"]) for cell in document["cells"]]


def _facts(cell: Mapping[str, Any], truth: Mapping[str, Any], first: int, repetitions: int) -> CellFacts:
    chosen = {name: value for name, value in cell["parameters"].items() if name != "estimator"}
    shape = Shape(cell["mechanism"], chosen, ())
    elements = names(truth["N"]) if MECHANISMS[shape.algorithm].needs_dictionary else None
    mechanism = shape.mechanism(cell["epsilon"], bytes(16), elements)
    seconds, sent = estimate_cost(mechanism, truth["n"], truth["N"]).seconds, mechanism.report_characters
    noise = None
    if mechanism.collisions is not None and "estimator" not in cell["parameters"]:
        counts = np.array([row["count"] for row in cell["top"][:first]], np.float64)
        noise = float(mechanism.debiased.variance(counts, truth["n"], counts**2).mean())
    return CellFacts(cell, first, repetitions, sent, seconds, seconds + truth["n"] * sent / _BYTES_A_SECOND, noise)


def cheapest(cells: Sequence[CellFacts]) -> CellFacts:
    """Return the cheapest; of reports of its size that cost about the same, the surest of the exact order."""
    least = min(cells, key=lambda cell: cell.cost)
    alike = [
        cell for cell in cells if cell.report_bytes == least.report_bytes and cell.cost <= _ABOUT_AS_CHEAP * least.cost
    ]
    return min(alike, key=lambda cell: (-cell.chance("first_in_order")["share"], cell.cost))


def ordered(cells: Sequence[CellFacts], sort: str) -> list[CellFacts]:
    """Sort by what the reader cares for; what is equal by cost."""
    keys = {
        "epsilon": lambda each: (each.epsilon, -each.chance("first_in_order")["share"], -each.held, each.cost),
        "in-order": lambda each: (-each.chance("first_in_order")["share"], -each.held, each.cost),
        "any-order": lambda each: (-each.chance("first_in_any_order")["share"], -each.held, each.cost),
        "ranks": lambda each: (-each.held / each.size, each.cost),
        "cost": lambda each: (each.cost, -each.held),
        "error": lambda each: (each.root_mse, each.cost),
    }
    return sorted(cells, key=keys[sort])
