"""What a mechanism offers; reports, runs and pages know no more of it than this."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..sketches import HashFamily

# How many distinct elements are counted together: one number for all estimates, or one for each.
Members: TypeAlias = int | NDArray[np.int64]
# Of reports, and F2: of one histogram, or for each estimate of its own.
Reports: TypeAlias = int | NDArray[np.int64]
Squares: TypeAlias = float | NDArray[np.float64]


@dataclass(frozen=True)
class ParsedRecords:
    """Records that passed, by stream, and index and reason of each that did not."""

    streams: dict[str, NDArray[Any]]
    rejected: list[tuple[int, str]]


class Mechanism(Protocol):
    """A local randomiser and its server's estimator, with their parameters; both halves of one privacy claim.

    A report has *parts*: arrays by name, the parts of one report in the same place of each. It is stored as records in
    some of the mechanism's *streams*, where the parts of a report are not linked any more. Records are items of a
    structured array that begin with a big-endian ``u4``, by which and by their remaining bytes they are sorted.
    """

    algorithm: ClassVar[str]
    # The wire parameters beside hash and seed, which every mechanism has.
    parameter_names: ClassVar[tuple[str, ...]]

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams; every report has a record in the first, so that its records are the reports."""
        ...

    @property
    def family(self) -> HashFamily:
        """The family whose points `read_out` takes."""
        ...

    @property
    def report_epsilon(self) -> Decimal:
        """The privacy loss of one report."""
        ...

    @property
    def report_characters(self) -> int:
        """The length of the longest record line."""
        ...

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object]) -> Self:
        """Check wire parameters and return the mechanism; raise a ParameterError that names the first bad one."""
        ...

    def wire_parameters(self) -> dict[str, int | float | str]:
        """Return the parameters as an upload document writes them; equal for equal mechanisms."""
        ...

    def privatize(self, element: str) -> str:
        """Return one record line about a normalised element, drawn from the operating system's randomness."""
        ...

    def privatize_fleet(
        self, elements: Sequence[str], element_index: NDArray[Any], rng: np.random.Generator
    ) -> dict[str, NDArray[Any]]:
        """Return the parts of a simulated fleet's reports, one for each ``elements[element_index[i]]``, in order."""
        ...

    def format_records(self, parts: Mapping[str, NDArray[Any]]) -> list[str]:
        """Return the record lines of reports."""
        ...

    def split(self, parts: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return the records of reports by stream."""
        ...

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        """Check and read the record lines of a document."""
        ...

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        """Return the stored form of a stream's records."""
        ...

    def num_rows(self, stream: str) -> int:
        """Return how many hash rows a stream's sketch has: the whole range of `read_out`."""
        ...

    def read_out(
        self, shards: Sequence[NDArray[Any]], points: NDArray[Any], start_row: int, stop_row: int
    ) -> NDArray[np.int64]:
        """Return the exact integer S(d) of every shard and point over a range of rows, shape (shards, points)."""
        ...

    def estimate(self, read_out: NDArray[Any], n: int, members: Members = 1) -> NDArray[np.float64]:
        """Return unbiased counts from read-outs over all rows, each the sum over so many distinct elements."""
        ...

    def variance(
        self, count: NDArray[np.float64], n: Reports, f2: Squares, members: Members = 1
    ) -> NDArray[np.float64]:
        """Return the variance of an estimate whose true count is as given, F2 being the sum of all squared counts."""
        ...

    def threshold(self, n: int, alpha: float, f2: float, members: int = 1) -> float:
        """Return the smallest estimate that so many elements without reports reach together with this probability."""
        ...
