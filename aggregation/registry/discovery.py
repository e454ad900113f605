"""Contract of mechanisms that find words: what the search for words knows of them, beside what it knows of any."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Protocol, TypeGuard

from ..estimation import Estimator
from ..sketches import HashFamily
from .mechanism import Mechanism


class TableMechanism(Mechanism, Protocol):
    """A mechanism of one stream over a hash family, whose sums are one table of rows and buckets; a value."""

    def __hash__(self) -> int: ...

    @property
    def family(self) -> HashFamily:
        """The hash functions, one for each row."""


class DiscoveryMechanism(Mechanism, Protocol):
    """A mechanism whose reports are about padded words, or about two characters of one under its puzzle byte.

    Words have a stream, and the fragments from each position have one; a report has records in as many of them as the
    mechanism says. Fragments that stand out are joined to words that solve the puzzle, which the words' own stream then
    counts.
    """

    @property
    def words(self) -> TableMechanism:
        """The sketch of words."""

    @property
    def fragments(self) -> TableMechanism:
        """The sketch of fragments; the server has one for each position."""

    @property
    def word_shape(self) -> tuple[int, int]:
        """Rows and buckets of the sketch of words."""

    @property
    def fragment_shape(self) -> tuple[int, int]:
        """Rows and buckets of a sketch of fragments."""

    @property
    def length(self) -> int:
        """The characters of a padded word."""

    @property
    def seed(self) -> bytes:
        """Seed that the puzzle byte of a word is made with."""

    @property
    def positions(self) -> range:
        """Positions at which fragments begin, counted from 1."""

    @property
    def word_stream(self) -> str:
        """The stream of words."""

    def fragment_stream(self, position: int) -> str:
        """Return the stream of fragments from a position."""

    @property
    def epsilon_parts(self) -> Mapping[str, Decimal]:
        """The losses that add up to that of a report, ``word`` and ``letters``; nothing if a report has one of both."""

    def planned_fragments(self, n: int) -> float:
        """Return how many of n reports are expected to have a fragment from any one position."""

    def word_reports(self, n: int, fragments: Sequence[int]) -> int:
        """Return how many of n reports have their word in its stream, given those from each position."""

    def word_estimator(self, n: int, word_reports: int) -> Estimator:
        """Return the estimator of counts of all n reports from read-outs of the words, which so many of them have."""


def discovers(mechanism: Mechanism) -> TypeGuard[DiscoveryMechanism]:
    """Tell whether a mechanism finds words."""
    return mechanism.kind == "discovery"
