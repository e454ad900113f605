"""Cells of an evaluation as pages read them: what they found, what they would cost, and in which order they stand."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aggregation.mechanisms import MECHANISMS, mechanism_for
from aggregation.planning import estimate_cost
from reports.mechanisms import name_of

SORTS: Final = ("ranks", "cost", "error", "epsilon")


@dataclass(frozen=True)
class CellFacts:
    """A cell of a document with its cost."""

    cell: Mapping[str, Any]
    # First ranks that are off by one place or less on average.
    kept: int
    # Of a day's reports on one core, and of a report.
    server_seconds: float
    report_bytes: int

    @property
    def distribution(self) -> str:
        return str(self.cell["input"])

    @property
    def epsilon(self) -> float:
        return float(self.cell["epsilon"])

    @property
    def size(self) -> int:
        return len(self.cell["top"])

    @property
    def name(self) -> str:
        """Mechanism and parameters, in the reader's language."""
        parameters = ", ".join(f"{name} = {value}" for name, value in self.cell["parameters"].items())
        return f"{name_of(self.cell['mechanism'])}, {parameters}"

    @property
    def parameters(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.cell["parameters"].items())

    @property
    def root_mse(self) -> float:
        return math.sqrt(self.cell["mean_mse"])

    @property
    def expected_root_mse(self) -> float | None:
        expected = self.cell["expected_mean_mse"]
        return None if expected is None else math.sqrt(expected)

    @property
    def cost(self) -> tuple[float, int]:
        return self.server_seconds, self.report_bytes


def facts_of(document: Mapping[str, Any]) -> list[CellFacts]:
    inputs = {each["name"]: each for each in document["input"]["distributions"]}
    return [_facts(cell, inputs[cell["input"]]) for cell in document["cells"]]


def _facts(cell: Mapping[str, Any], truth: Mapping[str, Any]) -> CellFacts:
    over = cell["first_rank_over_line"]
    seed = {"seed": "00" * 16} if MECHANISMS[cell["mechanism"]].has_seed else {}
    chosen = {name: value for name, value in cell["parameters"].items() if name != "estimator"}
    mechanism = mechanism_for(cell["mechanism"], {**chosen, "epsilon": cell["epsilon"], **seed})
    cost = estimate_cost(mechanism, truth["n"], truth["N"])
    return CellFacts(cell, len(cell["top"]) if over is None else over - 1, cost.seconds, mechanism.report_bytes)


def ordered(cells: Sequence[CellFacts], sort: str) -> list[CellFacts]:
    """Sort by what the reader cares for; what is equal by cost."""
    keys = {
        "ranks": lambda each: (-each.kept / each.size, each.cost),
        "cost": lambda each: (each.cost, -each.kept),
        "error": lambda each: (each.root_mse, each.cost),
        "epsilon": lambda each: (each.epsilon, -each.kept, each.cost),
    }
    return sorted(cells, key=keys[sort])
