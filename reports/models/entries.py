"""Entries of a histogram, in columns of one row: histograms of years have millions of entries, and are read whole."""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from reports.models.histograms import Histogram

NUMBERS: Final = ("estimate", "standard_error", "lower", "upper", "adjusted_lower", "adjusted_upper")
_BYTES: Final = 8 * len(NUMBERS)
# For a statement: the numbers of the entry at "place", which counts from 1, as bytes for `read_numbers`.
NUMBERS_AT: Final = f'substring("numbers" FROM {_BYTES} * ("place" - 1)::integer + 1 FOR {_BYTES})'


def read_numbers(written: bytes) -> NDArray[np.float64]:
    """Return a row of `NUMBERS` for each entry, from their bytes one after the other."""
    return _read_floats(written).reshape(-1, len(NUMBERS))


def _read_floats(written: bytes) -> NDArray[np.float64]:
    return np.frombuffer(written, ">f8").astype(np.float64)


class FloatsField(models.BinaryField):  # type: ignore[type-arg]  # Django's own takes none
    """Floats, exactly: eight bytes each, as PostgreSQL sends them. NumPy reads them much faster than its arrays."""

    def from_db_value(self, value: bytes | None, *_args: object) -> NDArray[np.float64] | None:
        return None if value is None else _read_floats(value)

    def get_prep_value(self, value: ArrayLike | None) -> bytes | None:
        return None if value is None else np.asarray(value, ">f8").tobytes()


class Entry(NamedTuple):
    """Element, or group of elements, above its threshold. The bounds are 95 % intervals, in reports."""

    rank: int
    element: str
    display: str
    category: str
    estimate: float
    standard_error: float
    lower: float
    upper: float
    # Adjusted for the selection of the largest.
    adjusted_lower: float
    adjusted_upper: float
    # The estimate made consistent with those of all other elements; only where the dictionary holds everything.
    consistent: float | None = None
    # How many elements are in it.
    members: int = 1
    # A group's threshold; an element has its histogram's.
    threshold: float | None = None
    # For a discovered word: the ends of the periods in which it stood out by itself, so far, and whether the list
    # before lacks it.
    first_day: datetime.date | None = None
    last_day: datetime.date | None = None
    is_new: bool = False


class HistogramEntries(models.Model):
    """Entries of a histogram, the largest first: what `Entry` says, in columns. Null where all have the default."""

    histogram = models.OneToOneField(
        "reports.Histogram", on_delete=models.CASCADE, primary_key=True, related_name="stored_entries"
    )
    elements = ArrayField(models.TextField())
    # Null where they are as the elements, and where there is no category.
    displays = ArrayField(models.TextField(null=True))
    categories = ArrayField(models.TextField(null=True))
    # The `NUMBERS` of each entry: those of one may be read by themselves.
    numbers = FloatsField()
    consistent = FloatsField(null=True)
    members = ArrayField(models.IntegerField(), null=True)
    thresholds = FloatsField(null=True)
    first_days = ArrayField(models.DateField(null=True), null=True)
    last_days = ArrayField(models.DateField(null=True), null=True)
    new = ArrayField(models.BooleanField(), null=True)

    class Meta:
        verbose_name = verbose_name_plural = _("histogram entries")
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.histogram)

    def __iter__(self) -> Iterator[Entry]:
        return map(Entry._make, zip(*self._columns, strict=True))

    @classmethod
    def of(cls, histogram: "Histogram", entries: Iterable[Entry]) -> Self:
        """Put entries, in the order of their ranks, into columns that are still to be saved."""
        rows = list(entries)

        def column(name: str) -> list[Any] | None:
            values = [getattr(row, name) for row in rows]
            return None if all(value == Entry._field_defaults[name] for value in values) else values

        return cls(
            histogram=histogram,
            elements=[row.element for row in rows],
            displays=[None if row.display == row.element else row.display for row in rows],
            categories=[row.category or None for row in rows],
            numbers=[[getattr(row, name) for name in NUMBERS] for row in rows],
            **{stored: column(name) for stored, name in _WITH_DEFAULTS.items()},
        )

    @property
    def size(self) -> int:
        return len(self.elements)

    @cached_property
    def place_of(self) -> Mapping[str, int]:
        """Place of each element, counted from 0."""
        return {element: place for place, element in enumerate(self.elements)}

    def at(self, place: int) -> Entry:
        return Entry._make(column[place] for column in self._columns)

    def find(self, element: str) -> Entry | None:
        place = self.place_of.get(element)
        return None if place is None else self.at(place)

    def column(self, name: str) -> NDArray[np.float64]:
        """Return one of the `NUMBERS` of all entries."""
        return np.asarray(self.numbers, np.float64).reshape(-1, len(NUMBERS))[:, NUMBERS.index(name)]

    @cached_property
    def texts(self) -> list[tuple[str, str, str]]:
        """Elements, with how they are written and their categories."""
        columns = zip(self.elements, self.displays, self.categories, strict=True)
        return [(element, display or element, category or "") for element, display, category in columns]

    @cached_property
    def _columns(self) -> list[Sequence[Any]]:
        """Columns in the order of the fields of an entry."""
        texts = zip(*self.texts, strict=True) if self.texts else ((), (), ())
        numbers = np.asarray(self.numbers, np.float64).reshape(-1, len(NUMBERS)).T.tolist()
        others = []
        for stored, name in _WITH_DEFAULTS.items():
            values = getattr(self, stored)
            others.append([Entry._field_defaults[name]] * self.size if values is None else [*values])
        return [range(1, self.size + 1), *texts, *numbers, *others]


# Columns of entries by the fields that may have defaults.
_WITH_DEFAULTS: Final = {
    "consistent": "consistent",
    "members": "members",
    "thresholds": "threshold",
    "first_days": "first_day",
    "last_days": "last_day",
    "new": "is_new",
}
