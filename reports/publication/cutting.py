"""The rule that protects small numbers: closed days are released in periods that each hold the minimum of reports.

A period is made of whole closed days that were in none before, and once they have enough reports among themselves. So
periods are disjoint, and whatever is computed from sums over them tells of no fewer reports than a whole period has. A
minimum that is raised merges neighbouring periods, which is coarser; one that is lowered splits nothing.
"""

import datetime
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from django.db import transaction
from django.utils import timezone

from reports.models import Period, ReadOut, UseCase, Version
from reports.publication.locking import lock_publications, lock_publications_of


def close_groups(sizes: Sequence[int], minimum: int) -> Iterator[slice]:
    """Cut a sequence into groups, each closed as soon as its sum reaches the minimum; the rest is in none."""
    start = total = 0
    for place, size in enumerate(sizes, 1):
        total += size
        if total >= max(minimum, 1):
            yield slice(start, place)
            start, total = place, 0


def merge_groups(sizes: Sequence[int], minimum: int) -> Iterator[slice]:
    """Cut a whole sequence into as many groups as possible that hold the minimum; into one if even that does not."""
    groups = list(close_groups(sizes, minimum))
    if not groups:
        yield slice(0, len(sizes))
        return
    yield from groups[:-1]
    yield slice(groups[-1].start, len(sizes))


@transaction.atomic
def cut(version: Version) -> list[Period]:
    """Release what waits, as far as it holds the minimum of now, and merge periods that do not; return what is new.

    Periods that do not hold the minimum even all together are merged into one, which is not shown until newly released
    reports join it. These hold the minimum by themselves: who remembers what was shown under a lower one, and
    subtracts it, is left with no fewer.
    """
    lock_publications(version)
    minimum = UseCase.objects.values_list("minimum_reports", flat=True).get(pk=version.use_case_id)
    closed = list(_close(version, minimum))
    if version.periods.filter(n__lt=minimum).exists():
        closed += _merge(version, minimum)
    return closed


@transaction.atomic
def apply_minimum(use_case: UseCase) -> None:
    """Cut anew by a minimum that has just changed. To be called with publications locked, in the same transaction."""
    lock_publications_of([use_case])
    for version in use_case.versions.all():
        cut(version)
    UseCase.renew_generation(use_case.pk)


def _close(version: Version, minimum: int) -> Iterator[Period]:
    now = timezone.now()
    waiting = version.read_outs.filter(period=None).order_by("locale", "day", "sealing")
    for locale, rows in groupby(waiting, key=attrgetter("locale")):
        found = list(rows)
        for group in close_groups([row.n for row in found], minimum):
            yield _create(version, locale, found[group], now)


def _create(version: Version, locale: str, rows: Sequence[ReadOut], now: datetime.datetime) -> Period:
    period = Period.objects.create(
        version=version,
        locale=locale,
        first_day=min(row.day for row in rows),
        last_day=max(row.day for row in rows),
        n=sum(row.n for row in rows),
        revisions=sorted({row.revision_id for row in rows if row.revision_id is not None}),
        closed_at=now,
    )
    ReadOut.objects.filter(pk__in=[row.pk for row in rows]).update(period=period)
    return period


def _merge(version: Version, minimum: int) -> Iterator[Period]:
    """Merge neighbouring periods, in the order of their days, of locales in which some do not hold the minimum."""
    small = version.periods.filter(n__lt=minimum).order_by().values("locale")
    periods = version.periods.filter(locale__in=small).order_by("locale", "first_day", "last_day", "pk")
    for _locale, found in groupby(periods, key=attrgetter("locale")):
        neighbours = list(found)
        for group in merge_groups([period.n for period in neighbours], minimum):
            if len(neighbours[group]) > 1:
                yield _join(version, neighbours[group])


def _join(version: Version, parts: Sequence[Period]) -> Period:
    period = Period.objects.create(
        version=version,
        locale=parts[0].locale,
        first_day=min(part.first_day for part in parts),
        last_day=max(part.last_day for part in parts),
        n=sum(part.n for part in parts),
        revisions=sorted({revision for part in parts for revision in part.revisions}),
        closed_at=max(part.closed_at for part in parts),
    )
    ReadOut.objects.filter(period__in=parts).update(period=period)
    Period.objects.filter(pk__in=[part.pk for part in parts]).delete()
    return period
