"""Contract of a mechanism; reports, runs and pages know no more of it than this."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Floats, Integers
from ..estimation import Collisions, Estimator

# Exact sums over reports, by stream: what a `Sketch` holds. States of equal mechanisms merge by addition.
State: TypeAlias = dict[str, NDArray[np.int32]]


@dataclass(frozen=True)
class ParsedRecords:
    """Records that passed, by stream, and index and reason of each that did not."""

    streams: dict[str, Array]
    rejected: list[tuple[int, str]]


class Mechanism(Protocol):
    """A local randomiser and its server's read-out, with their parameters; both halves of one privacy claim.

    A report has *parts*: arrays by name, the parts of one report in the same place of each. It is stored as records in
    some of the mechanism's *streams*, where the parts of a report are not linked any more. Records are items of a
    structured array that begin with a big-endian ``u4``, by which and by their remaining bytes they are sorted.

    Examples
    --------
    >>> shape = {"epsilon": 4, "k": 64, "m": 1024, "seed": 7}
    >>> planned: list[Mechanism] = [CountMeanSketch(**shape), HadamardCountMeanSketch(**shape)]
    >>> min(planned, key=lambda mechanism: mechanism.report_bytes).algorithm
    'HadamardCountMeanSketch'
    """

    algorithm: ClassVar[str]
    # The use of its reports: a dictionary is counted ("counting"), or words are found that are in none ("discovery").
    kind: ClassVar[str]
    # The wire parameters that are chosen, with a Decimal for every ε; beside them a mechanism may have a seed, which is
    # drawn, and a hash family.
    parameter_types: ClassVar[Mapping[str, type[Decimal] | type[int] | type[str] | type[bool]]]
    has_seed: ClassVar[bool]
    # Whether devices need its dictionary, which is then frozen with the parameters; the wire parameters that follow
    # from it; and the chosen ones that follow from it if they are left out. `NoDictionary` has all that is asked of a
    # mechanism that needs none.
    needs_dictionary: ClassVar[bool]
    dictionary_parameters: ClassVar[tuple[str, ...]]
    dictionary_defaults: ClassVar[tuple[str, ...]]
    # Whether pages have a client for it beside the one in Python.
    in_browsers: ClassVar[bool]

    # Its parameters, and what follows from them.

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object]) -> Self:
        """Check wire parameters and return the mechanism; raise a ParameterError that names the first bad one."""

    def encoded_parameters(self) -> dict[str, int | float | str]:
        """Return the parameters as an upload document writes them; equal for equal mechanisms."""

    @classmethod
    def for_dictionary(cls, parameters: Mapping[str, object], elements: Sequence[str] | None) -> dict[str, object]:
        """Return parameters with those of a dictionary, or of none in particular, if left out; nothing is checked."""

    def with_dictionary(self, elements: Sequence[str]) -> Self:
        """Return the mechanism with its dictionary; raise a ParameterError if its parameters are of another one."""

    @property
    def elements(self) -> tuple[str, ...] | None:
        """The dictionary that devices need, sorted; None if they need none, or it was not given."""

    @property
    def counts_other(self) -> bool:
        """Tell whether whatever is not in the dictionary is counted too, as one: n less all others is what it has."""

    def reports(self, element: str) -> bool:
        """Tell whether a device reports a normalised element, given the dictionary if there has to be one."""

    @property
    def report_epsilon(self) -> Decimal:
        """The privacy loss of one report."""

    @property
    def element_length(self) -> int | None:
        """The characters that every element is cut or padded to; None if elements are of any length."""

    # The client.

    def privatize(self, element: str) -> str:
        """Return one record line about a normalised element, drawn from the operating system's randomness."""

    def privatize_fleet(
        self, elements: Sequence[str], element_index: Array, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Return the parts of a simulated fleet's reports, one for each ``elements[element_index[i]]``, in order."""

    # The encoding.

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams that records are stored in."""

    @property
    def report_streams(self) -> tuple[str, ...]:
        """The streams whose records are the reports: each report has one record in exactly one of them."""

    @property
    def report_characters(self) -> int:
        """The length of the longest record line."""

    @property
    def report_bytes(self) -> int:
        """Bytes that a report takes where it is stored, at most, in all streams that have a record of it."""

    def reports_in(self, sizes: Mapping[str, int]) -> int:
        """Return how many reports there are, n, if streams have so many records; one that is not named has none."""

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        """Return the stored form of a stream's records."""

    def format_records(self, parts: Mapping[str, Array]) -> list[str]:
        """Return the record lines of reports."""

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        """Check and read the record lines of a document."""

    def split(self, parts: Mapping[str, Array]) -> dict[str, Array]:
        """Return the records of reports by stream."""

    # The server.

    @property
    def debiased(self) -> Estimator:
        """The estimator without bias."""

    @property
    def collisions(self) -> Collisions | None:
        """Buckets that elements share by hash functions, which can be corrected; None where there are none."""
        return None

    @property
    def divisions(self) -> int:
        """Parts that `read_out` can be divided into among workers: the rows of a sketch, or 1."""

    @property
    def keys_per_division(self) -> int | None:
        """Sort keys of the stored records of a division; None where they are in no order of divisions."""
        return None

    def points(self, elements: Sequence[str]) -> Array:
        """Return what `read_out` takes for elements, one along the first axis for each."""

    def read_out(self, shards: Sequence[Array], points: Array, start: int, stop: int, stream: str = ...) -> Integers:
        """Return the exact integer S(d) of every shard and point over a range of divisions, shape (shards, points).

        Shards are sorted records of one of `report_streams`, the first if none is named; S adds up over shards, these
        streams, and divisions.
        """

    def candidate_probability(self, shares: Floats, n: int, f2: float, letters: int) -> Floats:
        """Return how probably elements of these shares are found to be read out: 1 where a dictionary names them.

        Parameters
        ----------
        shares : ndarray of float64, shape (D,)
            Of n reports.
        n : int
            Number of reports.
        f2 : float
            F2, the sum of the squares of all true counts.
        letters : int
            Of the alphabet that elements are of.
        """

    def empty_state(self) -> State:
        """Return the sums over no reports."""

    def add_to_state(self, state: State, streams: Mapping[str, Array]) -> None:
        """Add sorted records to sums, in place."""

    def read_state(self, state: State, points: Array) -> Integers:
        """Return S(d) over all reports whose sums these are, shape (points,)."""


class NoDictionary:
    """Base of mechanisms whose devices need no dictionary: any element may be read out later."""

    needs_dictionary: ClassVar[bool] = False
    dictionary_parameters: ClassVar[tuple[str, ...]] = ()
    dictionary_defaults: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def for_dictionary(cls, parameters: Mapping[str, object], elements: Sequence[str] | None) -> dict[str, object]:  # noqa: ARG003
        return dict(parameters)

    def with_dictionary(self, elements: Sequence[str]) -> Self:
        return self

    @property
    def elements(self) -> None:
        return None

    @property
    def counts_other(self) -> bool:
        return False

    def reports(self, element: str) -> bool:
        return True
