"""Sketches that are kept: exact sums over reports, which merge and travel."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from .encoding import join_records, sort_records
from .errors import ParameterError, shown
from .registry import Mechanism, State
from .sketch_bytes import MOST_REPORTS, pack, unpack

# Record lines read at once.
_LINES: Final = 2**14


class Sketch:
    """Exact sums over the reports of one mechanism: all that estimates need of them.

    The sums do not depend on the order of reports, nor on how they were divided among sketches that were merged. Its
    size depends on the parameters alone, k·m cells of 4 bytes for a Count Mean Sketch.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism that the reports are made with.

    Attributes
    ----------
    mechanism : Mechanism
    state : dict of str to ndarray of int32
        The sums, by stream; of a Count Mean Sketch ``state["element"]`` has shape (k, m).
    sizes : dict of str to int
        Records that were counted, by stream.

    References
    ----------
    Apple, "Learning with Privacy at Scale" (2017): the sketch matrix M, here in whole numbers of reports.

    Examples
    --------
    >>> cms = CountMeanSketch(epsilon=4, k=64, m=64, seed=7)
    >>> monday, tuesday = Sketch(cms), Sketch(cms)
    >>> monday.update(cms.privatize(word) for word in ["hello", "world"])
    >>> tuesday.update([cms.privatize("hello")])
    >>> monday.merge(tuesday)
    >>> monday.n
    3
    >>> monday.state["element"].shape
    (64, 64)
    >>> Sketch.from_bytes(monday.to_bytes()) == monday
    True
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.state: State = mechanism.empty_state()
        self.sizes: dict[str, int] = dict.fromkeys(mechanism.streams, 0)

    @property
    def n(self) -> int:
        """The number of reports.

        Examples
        --------
        >>> Sketch(CountMeanSketch(epsilon=4, k=64, m=64, seed=7)).n
        0
        """
        return self.mechanism.reports_in(self.sizes)

    def update(self, records: Iterable[str]) -> None:
        """Count record lines, all or none.

        Parameters
        ----------
        records : iterable of str
            Lines as `privatize` returns them.

        Raises
        ------
        ParameterError
            If a line is no record of the mechanism: it says which and why, and repeats nothing of it. No line is
            counted then.

        Examples
        --------
        >>> hcms = HadamardCountMeanSketch(epsilon=4, k=64, m=64, seed=7)
        >>> sketch = Sketch(hcms)
        >>> sketch.update(["3,5,1", "3,64,1"])
        Traceback (most recent call last):
        ...
        ParameterError: Record 1 cannot be counted: coordinate_out_of_range.
        >>> sketch.n
        0
        """
        if isinstance(records, str):
            raise ParameterError("records", "Records must be a collection of lines, not a text.")
        lines, found, seen = iter(records), list[Mapping[str, NDArray[Any]]](), 0
        while block := list(islice(lines, _LINES)):
            parsed = self.mechanism.parse_records(block)
            if parsed.rejected:
                place, reason = parsed.rejected[0]
                raise ParameterError("records", f"Record {seen + place} cannot be counted: {reason}.")
            found.append(parsed.streams)
            seen += len(block)
        self.add(
            {
                stream: join_records([part[stream] for part in found])
                for stream in self.mechanism.streams
                if any(stream in part for part in found)
            }
        )

    def add(self, streams: Mapping[str, NDArray[Any]]) -> None:
        """Count stored records.

        Parameters
        ----------
        streams : mapping of str to structured ndarray
            Records by stream, in any order, as `split` makes them of a simulated fleet's reports.

        Raises
        ------
        ParameterError
            If there would be more than 2^31 - 1 reports, or there is no such stream.

        Examples
        --------
        >>> import numpy as np
        >>> cms = CountMeanSketch(epsilon=4, k=64, m=64, seed=7)
        >>> parts = cms.privatize_fleet(["a", "b"], np.array([0, 0, 1]), np.random.default_rng(1))
        >>> sketch = Sketch(cms)
        >>> sketch.add(cms.split(parts))
        >>> sketch.n
        3
        """
        self._count({stream: len(records) for stream, records in streams.items()})
        self.mechanism.add_to_state(self.state, {name: sort_records(records) for name, records in streams.items()})

    def merge(self, other: "Sketch") -> None:
        """Add the reports of another sketch, which stays as it is.

        Parameters
        ----------
        other : Sketch
            A sketch of an equal mechanism: of one algorithm, with equal parameters and hash functions.

        Raises
        ------
        ParameterError
            If the mechanisms differ, or there would be more than 2^31 - 1 reports.

        Examples
        --------
        >>> ours = Sketch(CountMeanSketch(epsilon=4, k=64, m=64, seed=7))
        >>> ours.merge(Sketch(CountMeanSketch(epsilon=4, k=64, m=64, seed=8)))
        Traceback (most recent call last):
        ...
        ParameterError: Only sketches of equal mechanisms can be merged.
        """
        if other.mechanism != self.mechanism:
            raise ParameterError("mechanism", "Only sketches of equal mechanisms can be merged.")
        self._count(other.sizes)
        for stream, sums in other.state.items():
            self.state[stream] += sums

    def to_bytes(self) -> bytes:
        """Return the sketch as bytes: equal ones for equal sketches.

        Returns
        -------
        bytes
            A line of JSON with the mechanism and the sizes, the sums in the narrowest type that holds them all, and a
            SHA-256 of it all.

        Examples
        --------
        >>> kept = Sketch(CountMeanSketch(epsilon=4, k=64, m=64, seed=7)).to_bytes()
        >>> len(kept) < 64 * 64 + 300
        True
        """
        return pack(self.mechanism, self.sizes, self.state)

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """Return the sketch in bytes of `to_bytes`.

        Parameters
        ----------
        content : bytes
            Anything may be in it; nothing is run.

        Raises
        ------
        ParameterError
            If these are no such bytes, they are damaged, or their mechanism is not known.

        Examples
        --------
        >>> Sketch.from_bytes(b"something else")
        Traceback (most recent call last):
        ...
        ParameterError: These bytes are no sketch.
        """
        mechanism, sizes, state = unpack(content)
        sketch = cls(mechanism)
        sketch.sizes, sketch.state = sizes, state
        return sketch

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Sketch)
            and self.mechanism == other.mechanism
            and self.sizes == other.sizes
            and all(np.array_equal(sums, other.state[stream]) for stream, sums in self.state.items())
        )

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"<Sketch of {self.n:,} reports, {self.mechanism.algorithm}>"

    def _count(self, sizes: Mapping[str, int]) -> None:
        unknown = [stream for stream in sizes if stream not in self.sizes]
        if unknown:
            raise ParameterError("stream", f"{self.mechanism.algorithm} has no stream {shown(unknown[0])}.")
        sums = {stream: size + sizes.get(stream, 0) for stream, size in self.sizes.items()}
        if max(sums.values()) > MOST_REPORTS:
            raise ParameterError("n", f"A sketch holds at most {MOST_REPORTS} reports.")
        self.sizes = sums
