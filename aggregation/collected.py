"""Sketches that are kept: exact sums over reports, which merge and travel.

They are the accumulators with which other engines than this project's count.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final, Self

import numpy as np

from .arrays import Array, Integers
from .encoding import join_records, sort_records
from .errors import ParameterError, shown
from .registry import Mechanism, State
from .sketch_bytes import COUNTS, MOST_REPORTS, empty_sums, pack, unpack

# Record lines read at once.
_LINES: Final = 2**14


class Sketch:
    """Exact sums over the reports of one mechanism: all that estimates need of them.

    The sums do not depend on the order of reports, nor on how they were divided among sketches that were merged:
    merging is associative and commutative. A sketch of a whole mechanism answers for any element later; its size
    depends on the parameters alone, k·m cells of 4 bytes for a Count Mean Sketch. A sketch of given elements keeps one
    integer for each of them instead, which is what an engine accumulates by key or moves between machines.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism that the reports are made with.
    elements : iterable of str, optional
        The D elements that alone will be asked about, normalised as for `privatize`. Each call of `add` or `update`
        then looks all of them up in every row that it brings: add many records at once.

    Attributes
    ----------
    mechanism : Mechanism
    elements : tuple of str, or None
    state : dict of str to ndarray of int32
        The sums, by stream; of a Count Mean Sketch ``state["element"]`` has shape (k, m). Of given elements
        ``state["counts"]`` alone, of shape (D,).
    sizes : dict of str to int
        Records that were counted, by stream.

    Raises
    ------
    ParameterError
        If an element is named twice, or the cells of the mechanism are too many to be kept.

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
    >>> of_two = Sketch(cms, ["hello", "world"])
    >>> of_two.update(cms.privatize(word) for word in ["hello", "world"])
    >>> of_two.state["counts"].shape
    (2,)
    """

    def __init__(self, mechanism: Mechanism, elements: Iterable[str] | None = None) -> None:
        self.mechanism = mechanism
        self.elements = None if elements is None else _different(elements)
        self.state: State = empty_sums(mechanism, self.elements)
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
        lines, found, seen = iter(records), list[Mapping[str, Array]](), 0
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

    def add(self, streams: Mapping[str, Array]) -> None:
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
        ordered = {name: sort_records(records) for name, records in streams.items()}
        if self.elements is None:
            self.mechanism.add_to_state(self.state, ordered)
            return
        points, stop = self.mechanism.points(self.elements), self.mechanism.divisions
        for stream in self.mechanism.report_streams:
            if stream in ordered:
                found = self.mechanism.read_out([ordered[stream]], points, 0, stop, stream)[0]
                self.state[COUNTS] += found.astype(np.int32)

    def merge(self, other: "Sketch") -> None:
        """Add the reports of another sketch, which stays as it is.

        Parameters
        ----------
        other : Sketch
            A sketch of an equal mechanism: of one algorithm, with equal parameters and hash functions. If this one is
            of given elements, so is the other, in the same order.

        Raises
        ------
        ParameterError
            If the mechanisms or the elements differ, or there would be more than 2^31 - 1 reports.

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
        if other.elements != self.elements:
            raise ParameterError("elements", "Only sketches of the same elements can be merged.")
        self._count(other.sizes)
        for stream, sums in other.state.items():
            self.state[stream] += sums

    def counts(self, elements: Iterable[str]) -> Integers:
        """Return the support counts of elements, as the reports are: `estimate` makes counts without bias of them.

        Parameters
        ----------
        elements : iterable of str
            Normalised as for `privatize`; of a sketch of given elements some of these.

        Returns
        -------
        ndarray of int64, shape (D,)
            S(d), exact integers that add up over sketches: of a Count Mean Sketch the one-bits in the elements' cells.

        Raises
        ------
        ParameterError
            If the sketch is of given elements, and some are not among these.

        Examples
        --------
        >>> cms = CountMeanSketch(epsilon=16, k=64, m=1024, seed=7)
        >>> sketch = Sketch(cms, ["hello", "world"])
        >>> sketch.update(cms.privatize(word) for word in ["hello"] * 400 + ["world"] * 100)
        >>> hello, world = sketch.counts(["hello", "world"]).tolist()
        >>> hello > 350 > 150 > world
        True
        """
        asked = tuple(elements)
        if self.elements is None:
            return self.mechanism.read_state(self.state, self.mechanism.points(asked))
        places = {element: place for place, element in enumerate(self.elements)}
        if missing := [element for element in asked if element not in places]:
            raise ParameterError("elements", f"The sketch has no counts of {shown(missing[0])}.")
        found: Integers = self.state[COUNTS][[places[element] for element in asked]].astype(np.int64)
        return found

    def to_bytes(self) -> bytes:
        """Return the sketch as bytes: equal ones for equal sketches.

        Returns
        -------
        bytes
            A line of JSON with the mechanism, the sizes and given elements, the sums in the narrowest type that holds
            them all, and a SHA-256 of it all.

        Examples
        --------
        >>> kept = Sketch(CountMeanSketch(epsilon=4, k=64, m=64, seed=7)).to_bytes()
        >>> len(kept) < 64 * 64 + 300
        True
        """
        return pack(self.mechanism, self.elements, self.sizes, self.state)

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
        mechanism, elements, sizes, state = unpack(content)
        sketch = cls.__new__(cls)
        sketch.mechanism, sketch.elements, sketch.sizes, sketch.state = mechanism, elements, sizes, state
        return sketch

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Sketch)
            and self.mechanism == other.mechanism
            and self.elements == other.elements
            and self.sizes == other.sizes
            and all(np.array_equal(sums, other.state[stream]) for stream, sums in self.state.items())
        )

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"<Sketch of {self.n:,} reports, {self.mechanism.algorithm}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # As bytes, which are the smaller ones: engines pickle what they move.
        return type(self).from_bytes, (self.to_bytes(),)

    def _count(self, sizes: Mapping[str, int]) -> None:
        unknown = [stream for stream in sizes if stream not in self.sizes]
        if unknown:
            raise ParameterError("stream", f"{self.mechanism.algorithm} has no stream {shown(unknown[0])}.")
        sums = {stream: size + sizes.get(stream, 0) for stream, size in self.sizes.items()}
        if max(sums.values()) > MOST_REPORTS:
            raise ParameterError("n", f"A sketch holds at most {MOST_REPORTS} reports.")
        self.sizes = sums


def _different(elements: Iterable[str]) -> tuple[str, ...]:
    if isinstance(elements, str):
        raise ParameterError("elements", "Elements must be a collection of texts, not a text.")
    asked = tuple(elements)
    if len(set(asked)) < len(asked):
        raise ParameterError("elements", "The elements must differ from each other: one is there twice.")
    return asked
