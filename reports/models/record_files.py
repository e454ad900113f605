"""Rows that own a file of records: of one locale and stream, or of several, which lie in it one after the other."""

from collections import Counter
from typing import Any, NamedTuple, Self, TypeVar

from django.db import models
from django.db.models import Sum

from aggregation.registry import Mechanism


class Slice(NamedTuple):
    """Sorted records of a locale and stream in a file: at which byte of its data they start, and how many they are."""

    locale: str
    stream: str
    start: int
    size: int

    def num_bytes(self, mechanism: Mechanism) -> int:
        return self.size * mechanism.record_dtype(self.stream).itemsize


AnyRow = TypeVar("AnyRow", bound="RecordFileRow")


class RecordFileQuerySet(models.QuerySet[AnyRow]):
    def whole(self) -> Self:
        """Filter for files of one locale and stream."""
        return self.filter(index__isnull=True)

    def sizes(self, *of: str) -> Counter[tuple[Any, ...]]:
        """Add up records by these columns, locale and stream, which are the last two of a key."""
        found: Counter[tuple[Any, ...]] = Counter()
        rows = self.order_by()
        columns = *of, "locale", "stream"
        for *key, records in rows.whole().values(*columns).annotate(n=Sum("size")).values_list(*columns, "n"):
            found[tuple(key)] += records
        for *key, index in rows.filter(index__isnull=False).values_list(*of, "index").iterator():
            for each in map(Slice._make, index):
                found[*key, each.locale, each.stream] += each.size
        return found


class RecordFileRow(models.Model):
    """Columns of a row that owns a file of records of one version.

    A file of one locale and stream has both in its columns, and its array is the records. Of several, both are empty,
    `index` is where each lies, ordered by locale and stream, and the array is their bytes.
    """

    locale = models.CharField(max_length=20)
    stream = models.CharField(max_length=20)
    size = models.PositiveBigIntegerField()
    index = models.JSONField(null=True, editable=False)
    file_name = models.CharField(max_length=200, unique=True)

    objects = RecordFileQuerySet.as_manager()

    class Meta:
        abstract = True

    def slices(self) -> list[Slice]:
        if self.index is None:
            return [Slice(self.locale, self.stream, 0, self.size)]
        return list(map(Slice._make, self.index))
