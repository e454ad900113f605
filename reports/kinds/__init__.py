"""The kinds of use cases: elements of a dictionary are counted, or words are discovered that are in none.

A mechanism says of which kind its versions are. Kinds lie below the models and are plain facts, so that models, runs,
results and pages can all ask them; `kind_of` tells a version's.
"""

from dataclasses import dataclass
from typing import Final, Protocol

from aggregation.mechanisms import MECHANISMS


@dataclass(frozen=True)
class Kind:
    """What a kind of use case is, in plain facts."""

    name: str
    # Whether people name the elements that are counted; otherwise they are found, and made of an alphabet's letters.
    has_dictionary: bool
    # Days that a point of a trend stands for, if nobody asks for others: words are looked for in a week.
    step: int

    def __str__(self) -> str:
        return self.name


COUNTING: Final = Kind("counting", has_dictionary=True, step=1)
DISCOVERY: Final = Kind("discovery", has_dictionary=False, step=7)
KINDS: Final = {kind.name: kind for kind in (COUNTING, DISCOVERY)}


class Versioned(Protocol):
    """What has an algorithm: a version."""

    @property
    def algorithm(self) -> str: ...


def kind_of(version: Versioned) -> Kind:
    return kind_of_algorithm(version.algorithm)


def kind_of_algorithm(algorithm: object) -> Kind:
    """The kind of an algorithm's versions; of one that there is not, a form that is not checked yet may ask."""
    mechanism = MECHANISMS.get(algorithm) if isinstance(algorithm, str) else None
    return COUNTING if mechanism is None else KINDS[mechanism.kind]


def algorithms_of(kind: Kind) -> list[str]:
    return [name for name, mechanism in MECHANISMS.items() if mechanism.kind == kind.name]
