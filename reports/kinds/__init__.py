"""The kinds of use cases: elements of a dictionary are counted, or words are discovered that are in none.

A mechanism says of which kind its versions are. Kinds lie below the models, so that models, runs, results and pages can
all ask them: `kind_of` tells a version's, and what a layer does differently for each is a `ByKind`.
"""

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from aggregation.mechanisms import MECHANISMS, Mechanism
from aggregation.registry import DiscoveryMechanism, discovers

T = TypeVar("T")
V = TypeVar("V", bound="Versioned")


@dataclass(frozen=True)
class Kind:
    """Kind of use case, in plain facts."""

    name: str
    # Whether people name the elements that are counted; otherwise they are found, and made of an alphabet's letters.
    has_dictionary: bool
    # Days that a point of a trend stands for by default: words are looked for in a week.
    step: int

    def __str__(self) -> str:
        return self.name


COUNTING: Final = Kind("counting", has_dictionary=True, step=1)
DISCOVERY: Final = Kind("discovery", has_dictionary=False, step=7)
# A word that is rare on a day is found over several. Longer windows mix what was new with what no longer is.
DISCOVERY_DAYS: Final = 7
KINDS: Final = {kind.name: kind for kind in (COUNTING, DISCOVERY)}


class Versioned(Protocol):
    """Holder of an algorithm: a version, or a plan of one."""

    @property
    def algorithm(self) -> str: ...


class Privatising(Protocol):
    """Holder of a mechanism: a version."""

    @property
    def mechanism(self) -> Mechanism: ...


@dataclass(frozen=True)
class ByKind(Generic[T]):
    """An implementation for each kind: one that is forgotten is an error of types."""

    counting: T
    discovery: T

    def of(self, version: Versioned | None) -> T:
        """Return the implementation for a version; without one, as a use case begins, that for counting."""
        found: T = getattr(self, COUNTING.name if version is None else kind_of(version).name)
        return found

    def groups(self, versions: Iterable[V]) -> Iterator[tuple[T, list[V]]]:
        """Yield each implementation with the versions that it is for, perhaps none."""
        found = list(versions)
        for name, kind in KINDS.items():
            yield getattr(self, name), [version for version in found if kind_of(version) is kind]


def kind_of(version: Versioned) -> Kind:
    return kind_of_algorithm(version.algorithm)


def puzzle_of(version: Privatising) -> DiscoveryMechanism:
    """Return the mechanism of a version that discovers words. Raises LookupError for others."""
    mechanism = version.mechanism
    if not discovers(mechanism):
        raise LookupError(f"{version} discovers no words.")
    return mechanism


def kind_of_algorithm(algorithm: object) -> Kind:
    """The kind of an algorithm's versions; of one that there is not, a form that is not checked yet may ask."""
    mechanism = MECHANISMS.get(algorithm) if isinstance(algorithm, str) else None
    return COUNTING if mechanism is None else KINDS[mechanism.kind]


def algorithms_of(kind: Kind) -> list[str]:
    return [name for name, mechanism in MECHANISMS.items() if mechanism.kind == kind.name]


def first_of_window(last: datetime.date) -> datetime.date:
    """Return the first day of the default window of a search for words."""
    return last - datetime.timedelta(days=DISCOVERY_DAYS - 1)
