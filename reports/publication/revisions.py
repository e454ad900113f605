"""Elements that dictionary revisions have in common. S(d) is the same, whatever dictionary an element is in."""

from collections.abc import Collection
from functools import lru_cache
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from reports.models import DictionaryRevision

_POSITIONS = """
SELECT "wanted"."position", "own"."position"
FROM "reports_dictionaryentry" AS "wanted" JOIN "reports_dictionaryentry" AS "own" USING ("element")
WHERE "wanted"."revision_id" = %s AND "own"."revision_id" = %s
"""


def positions_in(own: int, wanted: DictionaryRevision) -> NDArray[np.int64]:
    """Map the elements of the wanted revision to positions in the revision with this key; -1 where it lacks them."""
    return _positions(own, wanted.pk, wanted.size)


# Revisions never change. A window of a year may have some that differ by an element each.
@lru_cache(maxsize=32)
def _positions(own: int, wanted: int, size: int) -> NDArray[np.int64]:
    found = np.full(size, -1, np.int64)
    with connection.cursor() as cursor:
        cursor.execute(_POSITIONS, [wanted, own])
        pairs = np.array(cursor.fetchall(), np.int64).reshape(-1, 2)
    found[pairs[:, 0]] = pairs[:, 1]
    found.setflags(write=False)
    return found


# A revision never changes, and all parts of a run, and all windows, need the same.
@lru_cache(maxsize=4)
def points_of(revision_id: int) -> NDArray[Any]:
    """Return what elements of a dictionary are read out by."""
    revision = DictionaryRevision.objects.select_related("version").get(pk=revision_id)
    return revision.version.mechanism.points(revision.elements())


def counted_by_all(revisions: Collection[int], wanted: DictionaryRevision) -> NDArray[np.bool_]:
    """Mark the elements of the wanted revision that all revisions with these keys have."""
    counted = np.ones(wanted.size, bool)
    for key in revisions:
        if key != wanted.pk:
            counted &= positions_in(key, wanted) >= 0
    return counted
