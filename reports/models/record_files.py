"""Rows that own a file of records: of one locale and stream, or of several, which lie in it one after the other."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, Self, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connection, models
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
        for *key, records in rows._indexed_sizes(of):
            found[tuple(key)] += records
        return found

    def _indexed_sizes(self, of: Sequence[str]) -> list[tuple[Any, ...]]:
        """Add up the slices of files that have several, in the database: an open day may have a million files."""
        names = [f"column_{number}" for number in range(len(of))]
        try:
            rows, values = self.filter(index__isnull=False).values_list(*of, "index").query.sql_with_params()
        except EmptyResultSet:
            return []
        columns = "".join(f"{name}, " for name in names)
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT {columns}slice->>0 AS locale, slice->>1 AS stream, sum((slice->>3)::bigint)::bigint"  # noqa: S608
                f" FROM ({rows}) AS row ({columns}index), jsonb_array_elements(index) AS slice"
                f" GROUP BY {columns}locale, stream",
                values,
            )
            return list(cursor.fetchall())


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
