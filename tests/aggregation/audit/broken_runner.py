"""Run a Python client that is broken as the argument says, and else the one that is shipped."""

import random
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np

from aggregation import randomness
from aggregation.audit import device_runner
from aggregation.mechanisms import (
    CountMeanSketch,
    HadamardCountMeanSketch,
    LocalHashing,
    SampledFragmentPuzzle,
    SubsetSelection,
)
from aggregation.mechanisms.count_mean_sketch import client as bits
from aggregation.mechanisms.count_mean_sketch.encoding import bit_vector_line
from aggregation.mechanisms.hadamard_count_mean_sketch import client as signs
from aggregation.mechanisms.local_hashing import client as buckets
from aggregation.mechanisms.local_hashing.encoding import bucket_line
from aggregation.mechanisms.subset_selection import client as subsets
from aggregation.mechanisms.subset_selection import parameters as subset_parameters
from aggregation.mechanisms.subset_selection.client import device_subset
from aggregation.mechanisms.subset_selection.encoding import subset_line
from aggregation.randomness import device_below, device_flip, device_flips, flip_threshold, lie_threshold


def twice_epsilon() -> None:
    """ε in the place of ε/2, and as much too much where all of ε is right."""
    replace(bits, flip_threshold=lambda exponent: flip_threshold(2 * exponent))
    replace(signs, flip_threshold=lambda exponent: flip_threshold(2 * exponent))
    replace(buckets, lie_threshold=lambda exponent, *answers: lie_threshold(2 * exponent, *answers))
    replace(subset_parameters, lie_threshold=lambda exponent, w, others: lie_threshold(2 * exponent, w, others))


def hot_bit_kept() -> None:
    """The bit of the element, or its one sign, is sent as it is."""

    def privatize(self: CountMeanSketch, element: str) -> str:
        row, flips = device_below(self.k), device_flips(self.m, self._flip_threshold)
        flips[self.family.bucket(element, row, self.m)] = True
        return bit_vector_line(row, np.packbits(flips))

    replace(CountMeanSketch, privatize=privatize)
    replace(signs, flip_threshold=lambda _exponent: 0)
    replace(subsets, device_flip=lambda _t: False)


def own_among_others() -> None:
    """A subset that leaves the own element out is drawn from all, and may have it."""

    def privatize(self: SubsetSelection, element: str) -> str:
        lies = device_flip(self.lie_threshold)
        own, others = self.index_of(element), device_subset(self.size - 1 + lies, self.w - 1 + lies)
        return subset_line(sorted(others if lies else [own, *(place + (place >= own) for place in others)]))

    replace(SubsetSelection, privatize=privatize)


def lies_to_the_own_bucket() -> None:
    """A lie is any bucket, the own one among them."""

    def privatize(self: LocalHashing, element: str) -> str:
        row = device_below(self.k)
        lies = device_flip(self.lie_threshold)
        return bucket_line(row, device_below(self.g) if lies else self.family.bucket(element, row, self.g))

    replace(LocalHashing, privatize=privatize)


def word_and_fragment_sent() -> None:
    """A report about a word is followed by one about a fragment of it."""
    privatize = SampledFragmentPuzzle.privatize

    def privatize_both(self: SampledFragmentPuzzle, element: str) -> str:
        lines: dict[bool, str] = {}
        while len(lines) < 2:
            line = privatize(self, element)
            lines[line.startswith("0,")] = line
        return "\n".join(lines.values())

    replace(SampledFragmentPuzzle, privatize=privatize_both)


def seeded_for_each_report() -> None:
    """Every report draws the same."""
    generator = seeded_at_the_start()
    for mechanism in (CountMeanSketch, HadamardCountMeanSketch, LocalHashing, SubsetSelection, SampledFragmentPuzzle):
        replace(mechanism, privatize=seeding(generator, mechanism.privatize))


def seeding(generator: random.Random, privatize: Any) -> Any:
    def privatize_again(self: Any, element: str) -> str:
        generator.seed(1)
        line: str = privatize(self, element)
        return line

    return privatize_again


def seeded_at_the_start() -> random.Random:
    """Reports look as they should; another device, or this one when it is started again, sends the same."""
    generator = random.Random(1)
    replace(randomness, os=SimpleNamespace(urandom=generator.randbytes))
    return generator


def replace(owner: object, **others: object) -> None:
    """Put others in the place of what has to be there."""
    for name, other in others.items():
        assert hasattr(owner, name), f"the client has changed: correct this file, there is no {name}"
        setattr(owner, name, other)


BREAKS = {
    each.__name__: each
    for each in (
        twice_epsilon,
        hot_bit_kept,
        lies_to_the_own_bucket,
        own_among_others,
        word_and_fragment_sent,
        seeded_for_each_report,
        seeded_at_the_start,
    )
}

if __name__ == "__main__":
    BREAKS[sys.argv[1]]()
    device_runner.main()
