"""Facts on a use case's card on the front page, in a handful of numbers."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reports.models import Version
from reports.results.names import colourful, element_name

LEADERS = 3
TREND_DAYS = 28


@dataclass(frozen=True)
class Leader:
    """Leading element, in shares of reports; the bounds are adjusted for showing only the leaders."""

    display: str
    name: str
    share: float
    lower: float
    upper: float


class WindowSize(NamedTuple):
    """A published window by its last day, and its reports."""

    day: datetime.date
    n: int


class OtherVersion(NamedTuple):
    """Another version that counted, by its number: its first and last day, and its days on the trend."""

    number: int
    first_day: datetime.date
    last_day: datetime.date
    trend: tuple[WindowSize, ...]


@dataclass(frozen=True)
class Latest:
    """Newest results of a use case in the first locale that has any: the window that pages open with, or a list.

    The trend is that of its days, or, where words are found, of its lists of the same length; it ends with the window,
    and days that are not released by themselves are missing.
    """

    version: int
    discovers: bool
    locale: str
    # The locale that the page of the use case shows if none is asked for.
    is_first_locale: bool
    first_day: datetime.date
    last_day: datetime.date
    n: int
    leaders: tuple[Leader, ...]
    trend: tuple[WindowSize, ...]
    # In the newest lists of all locales, without those that were rejected.
    new_words: int
    # Their reports are not among the n.
    others: tuple[OtherVersion, ...] = ()


def leader_of(version: Version, n: int, display: str, numbers: Sequence[float]) -> Leader:
    """Return an entry among the leaders, of which its `NUMBERS` are given."""
    estimate, _error, _lower, _upper, lower, upper = numbers
    return Leader(colourful(display), element_name(version, display), estimate / n, lower / n, upper / n)
