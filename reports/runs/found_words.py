"""Candidates that a run found in a locale, before it is decided what of them may be published."""

import datetime
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from aggregation.discovery import Cut, Joined


@dataclass(frozen=True)
class HowFound:
    """Cuts of each position and the outcome of joining, as plain values that can be stored as JSON."""

    # By position.
    reports: list[int]
    cuts: list[float]
    f2: list[float]
    kept: list[int]
    capped: bool
    joined: int
    strictness: float

    @classmethod
    def of(cls, cut: Cut, joined: Joined) -> Self:
        return cls(
            reports=cut.reports.tolist(),
            # As joining used them: raised, if too many words would have fitted together.
            cuts=(cut.thresholds * joined.strictness).tolist(),
            f2=cut.f2.tolist(),
            kept=joined.kept,
            capped=bool(cut.capped.any()),
            joined=joined.tried,
            strictness=joined.strictness,
        )

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        return cls(**{name: facts[name] for name in cls.__dataclass_fields__})

    def as_facts(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def cut(self) -> Cut:
        """The cut that was used, without the fragments it kept."""
        capped = np.full(len(self.cuts), self.capped)
        return Cut([], [], np.array(self.reports), np.array(self.cuts), np.array(self.f2), capped)


@dataclass(frozen=True, eq=False)
class FoundWords:
    """The candidates of a locale: padded words, sorted, and their read-outs of every sealing, shape (sealings, words).

    The sealings are those the run is of, in the order of days; `first` and `last` are the days of their periods.
    """

    locale: str
    sealings: list[int]
    first: datetime.date
    last: datetime.date
    words: list[str]
    counts: NDArray[np.int64]
    # From each position, of every sealing.
    reports: list[list[int]]
    how: HowFound
