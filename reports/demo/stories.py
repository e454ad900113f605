"""Changes in the demo from day to day: rhythms of the week, slow drifts, bursts after an event, new elements.

Each chapter of a story multiplies the shares of some elements by a number that is a function of the day alone, so that
the true shares of every day are known.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from reports.models import Version
from reports.simulation import Shares

SATURDAY = 5
# Over so many days a drift goes from one end to the other.
DRIFT_DAYS = 28


class Moment(NamedTuple):
    """A day of the demo: how many days before it was set up, from 1, and its day of the week, from Monday, 0."""

    back: int
    weekday: int


@dataclass(frozen=True)
class Chapter(ABC):
    """Change in the frequency of some elements, in some locales or, if none are named, in all."""

    elements: tuple[str, ...]
    locales: tuple[str, ...] = field(default=(), kw_only=True)
    # The share that an element has before it is multiplied if the fleet does not report it otherwise.
    added: float = field(default=0.0, kw_only=True)

    @abstractmethod
    def factor(self, moment: Moment) -> float: ...


@dataclass(frozen=True)
class Weekend(Chapter):
    """Change by a factor on Saturdays and Sundays."""

    times: float

    def factor(self, moment: Moment) -> float:
        return self.times if moment.weekday >= SATURDAY else 1.0


@dataclass(frozen=True)
class Drift(Chapter):
    """Slow change from one factor, four weeks back, to another on the newest day."""

    start: float
    end: float

    def factor(self, moment: Moment) -> float:
        way = max(0.0, (DRIFT_DAYS - moment.back) / (DRIFT_DAYS - 1))
        return self.start + (self.end - self.start) * way


@dataclass(frozen=True)
class Burst(Chapter):
    """Change by a factor from a day on, which then halves its distance to the lasting level every `half_life` days."""

    back: int
    times: float
    half_life: float
    stays: float = 1.0

    def factor(self, moment: Moment) -> float:
        if moment.back > self.back:
            return 1.0
        left: float = 0.5 ** ((self.back - moment.back) / self.half_life)
        return self.stays + (self.times - self.stays) * left


@dataclass(frozen=True)
class Arrival(Chapter):
    """First appearance of elements, which from a day on have the share `added`."""

    back: int

    def factor(self, moment: Moment) -> float:
        return float(moment.back <= self.back)


def shares_at(moment: Moment, version: Version, shares: Shares, chapters: Iterable[Chapter]) -> Shares:
    """The shares of a locale on a day; they add up to 1 again."""
    factors: dict[str, float] = {}
    added: dict[str, float] = {}
    for chapter in chapters:
        if chapter.locales and shares.locale not in chapter.locales:
            continue
        for text in chapter.elements:
            element = version.element(text, shares.locale)
            if element is None:
                raise ValueError(f"{text!r} is not an element that devices report in {shares.locale}.")
            factors[element] = factors.get(element, 1.0) * chapter.factor(moment)
            added[element] = max(added.get(element, 0.0), chapter.added)
    # A story is about a few of a quarter of a million elements.
    places = {element: place for place, element in enumerate(shares.elements) if element in factors}
    new = [element for element in factors if element not in places and added[element]]
    places |= {element: len(shares.elements) + place for place, element in enumerate(new)}
    probabilities = np.append(shares.probabilities, [added[element] for element in new])
    for element, place in places.items():
        probabilities[place] *= factors[element]
    return replace(shares, elements=(*shares.elements, *new), probabilities=probabilities / probabilities.sum())
