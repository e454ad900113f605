"""How large the site of the benchmark is, and what its parts are called."""

import datetime
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np

from reports.models import DictionaryRevision, Version

LOCALES = (
    "en_US fr_FR es_ES de_DE it_IT pt_BR ja_JP ko_KR zh_CN ar_SA he_IL nl_NL sv_SE pl_PL tr_TR ru_RU hi_IN th_TH vi_VN"
    " id_ID"
).split()
# Reports of a locale on a day: some 25 elements are above the threshold then.
REPORTS_PER_DAY = 85_000
DICTIONARY = 2_600
# Of so many use cases there are files of read-outs, from which pages compare and make histograms.
WITH_FILES = 3
# Every so manieth finds words: it has a list of seven days for every day.
WORDS_EVERY = 20
# Raw reports are kept for so long.
KEPT_DAYS = 90


class Window(NamedTuple):
    """The place of its first day, and how many days it has."""

    first: int
    days: int


@dataclass(frozen=True)
class Size:
    use_cases: int
    locales: int
    days: int
    last_day: datetime.date

    @property
    def names(self) -> list[str]:
        """The locales of every use case."""
        return LOCALES[: self.locales]

    @property
    def all_days(self) -> list[datetime.date]:
        return [self.last_day - datetime.timedelta(days=back) for back in range(self.days - 1, -1, -1)]

    @property
    def windows(self) -> list[Window]:
        """Beside each day by itself, the short ones first: what ends with the last day, and the calendar's weeks.

        Of the first and the last week there may be less than seven days: trends show them so.
        """
        found = {Window(self.days - days, days) for days in (7, 28, self.days) if days <= self.days}
        for _week, group in groupby(enumerate(self.all_days), key=lambda each: each[1].isocalendar()[:2]):
            places = [place for place, _day in group]
            found.add(Window(places[0], len(places)))
        return sorted((window for window in found if window.days > 1), key=lambda window: (window.days, window.first))

    def slug(self, number: int) -> str:
        return f"use-case-{number:03d}"

    def finds_words(self, number: int) -> bool:
        return number % WORDS_EVERY == WORDS_EVERY - 1 or (number == self.use_cases - 1 and number < WORDS_EVERY)

    def has_files(self, number: int) -> bool:
        return number < WITH_FILES and not self.finds_words(number)


@dataclass(frozen=True)
class Year:
    """A version and a locale, and where their rows begin in the tables."""

    number: int
    version: Version
    # None where words are found.
    revision: DictionaryRevision | None
    locale: str
    first_sealing: int
    # A day is a period of its own.
    first_period: int
    first_histogram: int

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng([self.number, *self.locale.encode()])
