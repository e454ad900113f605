"""Trends of each kind of version: which windows stand along an axis, and which elements may be asked for."""

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Protocol

from reports.kinds import ByKind
from reports.models import Version
from reports.results.availability import State
from reports.results.counted import Span
from reports.results.trend.counting_trend import CountingTrend
from reports.results.trend.discovery_trend import DiscoveryTrend
from reports.results.trend.elements import Texts
from reports.results.trend.trend_windows import Published, Slot


class TrendKind(Protocol):
    # Why a trend shows nothing.
    nothing_shown: State
    # So many windows at each end are compared for a change, if there are twice as many.
    compared_windows: int

    def span(self, version: Version, locales: Collection[str]) -> Span | None:
        """Return the first and the last day of which something is shown."""

    def slots(
        self, version: Version, locales: Sequence[str], first: datetime.date, last: datetime.date, step: int
    ) -> dict[str, list[Slot]]:
        """Return the places from the first to the last day, by locale."""

    def day_of(self, slot: Slot) -> datetime.date:
        """Return the day at which a slot stands on the axis, and by which one asks for it."""

    def most_points(self, days: int, step: int) -> int:
        """Return how many slots so many days have at most."""

    def newest(self, places: Sequence[tuple[Version, str]]) -> dict[tuple[int, str], Published]:
        """Return the window that the page of each locale opens with, by the version's key and the locale."""

    def opening_step(self, version: Version, locale: str, span: Span | None, *, weeks_if_noisy: bool) -> int:
        """Return the step of a query without days."""

    def hidden(self, version: Version, locale: str) -> set[str]:
        """Return the elements of a locale that are not shown: rejected words."""

    def rejected(self, version: Version, texts: Collection[str]) -> dict[str, set[str]]:
        """Return which of these texts are rejected, by locale."""

    def texts(
        self, version: Version, elements: Collection[str], rejected: Mapping[str, Collection[str]]
    ) -> Iterable[Texts]:
        """Return the texts of those of these elements that the version has; of rejected words, as given, none."""

    def search(self, version: Version, locale: str, wanted: str, most: int) -> Iterable[Texts]:
        """Return the texts of at most so many elements with these letters or this name, the best first."""


TRENDS: Final = ByKind[TrendKind](counting=CountingTrend(), discovery=DiscoveryTrend())
