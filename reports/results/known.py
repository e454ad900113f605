"""What is read out and published of a version, looked up once for as many windows as are to be published."""

import datetime
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from reports.models import DictionaryRevision, Histogram, ReadOut, UseCase, Version
from reports.results.subtraction import single_out_together, singles_out
from reports.storage import open_array

# Locale, first and last day.
Window: TypeAlias = tuple[str, datetime.date, datetime.date]


@dataclass
class Known:
    """The state of a version's publications for some windows; only whoever holds their lock may rely on it."""

    version: Version
    # None where words are found: their read-outs are sketches.
    revision: DictionaryRevision | None
    windows: Collection[Window]
    # The read-outs of this revision, by locale and in the order of days.
    read_outs: dict[str, list[ReadOut]] = field(init=False)

    def __post_init__(self) -> None:
        self._locales = {locale for locale, _first, _last in self.windows}
        # Of any dictionary: the shards of an old day may be gone.
        self._all_read = list(self.version.read_outs.filter(locale__in=self._locales).order_by("day", "sealing_id"))
        self._sealed = list(
            self.version.shards.filter(batch=None, locale__in=self._locales).values_list("locale", "day", "sealing_id")
        )
        self.read_outs = {locale: [] for locale in self._locales}
        for read_out in self._all_read:
            if read_out.revision_id == (self.revision.pk if self.revision is not None else None):
                self.read_outs[read_out.locale].append(read_out)
        self._published: dict[str, list[frozenset[int]]] = {}

    @cached_property
    def prescribed_threshold(self) -> int | None:
        """What the use case prescribes now: whoever raises it waits for publications, and the version is older."""
        return UseCase.objects.values_list("prescribed_threshold", flat=True).get(pk=self.version.use_case_id)

    @cached_property
    def current(self) -> dict[Window, Histogram]:
        """The histograms of elements that are published for these windows."""
        published = self.version.histograms.filter(locale__in=self._locales, grouping="", replaced=False)
        keys = published.values_list("locale", "first_day", "last_day", "pk")
        windows = set(self.windows)
        wanted = [pk for locale, first, last, pk in keys if (locale, first, last) in windows]
        found = Histogram.objects.filter(pk__in=wanted)
        return {(histogram.locale, histogram.first_day, histogram.last_day): histogram for histogram in found}

    def within(self, window: Window) -> list[ReadOut]:
        locale, first, last = window
        return [read_out for read_out in self.read_outs[locale] if first <= read_out.day <= last]

    def is_all_read(self, window: Window) -> bool:
        """Whether all that was ever sealed in the window is: a part of it must not pass for the whole."""
        locale, first, last = window
        sealed = {sealing for where, day, sealing in self._sealed if where == locale and first <= day <= last}
        read = {r.sealing_id for r in self._all_read if r.locale == locale and first <= r.day <= last}
        return sealed | read <= {read_out.sealing_id for read_out in self.within(window)}

    def singles_out(self, window: Window, minimum: int) -> bool:
        """Whether the window's histogram, subtracted from others, would show what fewer reports say."""
        locale = window[0]
        reports = self._reports(locale)
        if all(n >= minimum for n in reports.values()):
            return False  # whatever is subtracted, whole sealings remain
        return singles_out(self._published_sealings(locale), self._sealings(window), reports, minimum)

    def may_name_days(self, window: Window, minimum: int) -> bool:
        """Whether, once the window is published, each of its days could be by itself, too."""
        locale = window[0]
        reports = self._reports(locale)
        if all(n >= minimum for n in reports.values()):
            return True
        sealings = self._sealings(window)
        days = self._days_of(locale, sealings)
        if any(sum(reports[sealing] for sealing in day) < minimum for day in days):
            return False
        return not single_out_together([*self._published_sealings(locale), sealings], days, reports, minimum)

    def _reports(self, locale: str) -> dict[int, int]:
        return {read_out.sealing_id: read_out.n for read_out in self._all_read if read_out.locale == locale}

    def _sealings(self, window: Window) -> frozenset[int]:
        return frozenset(read_out.sealing_id for read_out in self.within(window))

    def _days_of(self, locale: str, sealings: Collection[int]) -> list[frozenset[int]]:
        """The sealings of each day by themselves."""
        days: dict[datetime.date, set[int]] = {}
        for read_out in self._all_read:
            if read_out.locale == locale and read_out.sealing_id in sealings:
                days.setdefault(read_out.day, set()).add(read_out.sealing_id)
        return [frozenset(day) for day in days.values()]

    def _published_sealings(self, locale: str) -> list[frozenset[int]]:
        if locale not in self._published:
            # Replaced ones count: somebody may have kept them. Groups are of the same reports as their elements.
            published = self.version.histograms.filter(locale=locale, grouping="")
            self._published[locale] = []
            for sealings, by_day in published.values_list("sealings", "discovery__by_day"):
                self._note(locale, frozenset(sealings), by_day=bool(by_day))
        return self._published[locale]

    def _note(self, locale: str, sealings: frozenset[int], *, by_day: bool) -> None:
        """Whoever says on which days words stand out has published each day."""
        self._published[locale].append(sealings)
        if by_day:
            self._published[locale] += self._days_of(locale, sealings)

    def add(self, histogram: Histogram, *, by_day: bool = False) -> None:
        """Know of one more publication."""
        self.current[histogram.locale, histogram.first_day, histogram.last_day] = histogram
        if histogram.locale in self._published:
            self._note(histogram.locale, frozenset(histogram.sealings), by_day=by_day)


def sum_of(read_outs: Collection[ReadOut], size: int) -> NDArray[np.int64]:
    """The exact integers of several read-outs, added up; one file is held at a time."""
    counts = np.zeros(size, dtype=np.int64)
    for read_out in read_outs:
        counts += open_array(read_out.file_name)
    return counts
