"""Places along an axis of days, and the histogram that each shows."""

import datetime
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from reports.models import Histogram, Version
from reports.publication import Days


class SlotState(StrEnum):
    SHOWN = "shown"
    # No period lies in it: too few reports, or none.
    NOT_YET = "not-yet"
    # A week that goes on, or whose last days may still come.
    NOT_OVER = "not-over"
    # Counted by another version, whose estimates cannot stand beside those of the version that is looked at.
    OTHER_VERSION = "other-version"


class Published(NamedTuple):
    """Columns read of a histogram. A page may have thousands, of which each as a model would take its time."""

    pk: int
    made_of: str
    locale: str
    first_day: datetime.date
    last_day: datetime.date
    n: int
    threshold: float | None
    prescribed_threshold: int | None
    alpha: float
    f2: float
    revision_id: int | None
    # Its number, of one that was counted.
    revision: int | None
    # As the database writes it: few readers want it, and of thousands it takes long to read.
    generated: str
    # The keys of all dictionary revisions that its window is counted by, and of its own; none of a list of words.
    revisions: frozenset[int]

    @property
    def generated_at(self) -> datetime.datetime:
        return datetime.datetime.fromisoformat(self.generated)


PLAIN: Final = Published._fields[:-3]


class Slot(NamedTuple):
    """Place on the axis: a day or a week, or a window that was searched for words; of each version that shows it."""

    first: datetime.date
    last: datetime.date
    state: SlotState
    # That counted it; where nothing is shown, that is looked at.
    version: Version
    histogram: Published | None = None
    # The days of a shown week that are in none of its periods, and how many of them other versions counted.
    left_out: tuple[Days, ...] = ()
    elsewhere: int = 0

    @property
    def missing(self) -> int:
        """Number of days of a week that is shown that are in none of its periods."""
        return sum((last - first).days + 1 for first, last in self.left_out)

    @property
    def is_whole(self) -> bool:
        return not self.left_out


def read_published(
    histograms: QuerySet[Histogram], counted_by: Mapping[str, frozenset[int]] | None = None
) -> Iterator[Published]:
    """Read histograms of windows that are counted by these revisions, by what they are made of; or lists of words."""
    of_words: frozenset[int] = frozenset()
    for row in histograms.values_list(*PLAIN, "revision__number", Cast("generated_at", TextField())):
        yield Published._make((*row, of_words if counted_by is None else counted_by[row[1]]))
