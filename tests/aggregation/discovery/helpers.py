"""Small mechanisms, simulated days, and the whole way from their reports to a list of words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggregation.discovery import (
    Cut,
    FragmentKeys,
    Joined,
    Sketches,
    cut_fragments,
    fragment_keys,
    join_fragments,
    read_fragments,
    read_words,
    summarize_words,
)
from aggregation.encoding import sort_records
from aggregation.estimation import Summary
from aggregation.mechanisms import CountMeanSketch, SampledFragmentPuzzle, SequenceFragmentPuzzle
from aggregation.registry import DiscoveryMechanism
from aggregation.sketches import HashFamily, QuadraticM31, puzzle_byte
from tests.aggregation.helpers import sampled_puzzle

Streams = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class NoCollisions(HashFamily):
    """A family under which no two of m elements share a bucket in any row: element i is in bucket i + row."""

    elements: tuple[str, ...]
    seed: bytes = bytes(16)

    @property
    def name(self) -> str:
        return "no-collisions"

    def points(self, elements: Sequence[str]) -> NDArray[np.int64]:
        places = {element: place for place, element in enumerate(self.elements)}
        return np.array([places[element] for element in elements], np.int64)

    def bucket(self, element: str, row: int, m: int) -> int:
        return (self.elements.index(element) + row) % m

    def buckets(self, points: NDArray[Any], start_row: int, stop_row: int, m: int) -> NDArray[np.uint32]:
        return ((points + np.arange(start_row, stop_row)[:, None]) % m).astype(np.uint32)


def puzzle(
    words: tuple[str, int, int], fragments: tuple[str, int, int], length: int, seed: int = 0
) -> SequenceFragmentPuzzle:
    """A mechanism of two sketches, each given by its epsilon, rows and buckets."""
    own = seed.to_bytes(16, "little")
    return SequenceFragmentPuzzle(
        CountMeanSketch(Decimal(words[0]), *words[1:], QuadraticM31(own)),
        CountMeanSketch(Decimal(fragments[0]), *fragments[1:], QuadraticM31(own, "fragment")),
        length,
    )


def sampled(
    words: tuple[str, int, int], fragments: tuple[int, int], length: int, seed: int = 0, share: str = "0.8"
) -> SampledFragmentPuzzle:
    """A mechanism of two sketches of one epsilon."""
    return sampled_puzzle(words[0], words[1:], fragments, length, seed.to_bytes(16, "little"), share)


def all_words(alphabet: str, length: int) -> list[str]:
    """Every padded word there is."""
    sizes = range(1, length + 1)
    return ["".join(letters).ljust(length, "_") for size in sizes for letters in product(alphabet, repeat=size)]


def some_words(alphabet: str, length: int, number: int, rng: np.random.Generator) -> list[str]:
    """Different words of full length, drawn at random."""
    found: dict[str, None] = {}
    while len(found) < number:
        drawn = rng.integers(0, len(alphabet), (number - len(found), length)).tolist()
        found |= dict.fromkeys("".join(alphabet[letter] for letter in word) for word in drawn)
    return list(found)


def fragments_of(word: str) -> list[str]:
    return [word[place : place + 2] for place in range(0, len(word), 2)]


def key_of(mechanism: DiscoveryMechanism, keys: FragmentKeys, word: str, position: int) -> int:
    """The index of what a word's report has at a position, counted from 0."""
    fragment = keys.fragments.index(fragments_of(word)[position])
    return puzzle_byte(mechanism.seed, word) * len(keys.fragments) + fragment


def reported(mechanism: DiscoveryMechanism, counts: Mapping[str, int], rng: np.random.Generator) -> Streams:
    """The sorted records of a day on which every word is reported so many times."""
    index = np.repeat(np.arange(len(counts)), list(counts.values()))
    streams = mechanism.split(mechanism.privatize_fleet(list(counts), index, rng))
    return {name: sort_records(records) for name, records in streams.items()}


@dataclass(frozen=True, eq=False)
class Found:
    """Finds of discovery in some days."""

    keys: FragmentKeys
    cut: Cut
    joined: Joined
    read_out: NDArray[np.int64]
    summary: Summary

    @property
    def shown(self) -> list[str]:
        return [word for word, above in zip(self.joined.words, self.summary.above.tolist(), strict=True) if above]


def _keys(alphabet: str, family: HashFamily) -> FragmentKeys:
    """Keys in which fragments are read: points of the shipped family are those of any seed, and hashed once."""
    return fragment_keys(alphabet, QuadraticM31(bytes(16), "fragment") if isinstance(family, QuadraticM31) else family)


def discover(mechanism: DiscoveryMechanism, alphabet: str, days: Sequence[Streams], alpha: float = 0.05) -> Found:
    sketches = [Sketches.count(mechanism, day) for day in days]
    keys = _keys(alphabet, mechanism.fragments.family)
    read_outs = read_fragments(mechanism, sketches, keys, 0, mechanism.fragment_shape[0])
    streams = [mechanism.fragment_stream(position) for position in mechanism.positions]
    cut = cut_fragments(mechanism, read_outs, [sum(len(day[stream]) for day in days) for stream in streams])
    joined = join_fragments(mechanism, keys, cut)
    read_out = read_words(mechanism, sketches, joined.words).sum(axis=0)
    n = sum(mechanism.reports_in({stream: len(records) for stream, records in day.items()}) for day in days)
    return Found(keys, cut, joined, read_out, summarize_words(mechanism, read_out, n, alpha, cut))


def hand_made_cut(kept: Sequence[Sequence[int]], estimates: Sequence[Sequence[float]] | None = None) -> Cut:
    """A cut at 1 report of 1,000 at each position."""
    size = len(kept)
    values = estimates if estimates is not None else [[2.0] * len(own) for own in kept]
    return Cut(
        [np.array(own, np.int64) for own in kept],
        [np.array(own, np.float64) for own in values],
        np.full(size, 1000),
        np.ones(size),
        np.full(size, 1000.0),
        np.zeros(size, np.bool_),
    )
