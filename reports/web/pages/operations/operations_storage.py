"""Storage of each use case, and what will be deleted next: for operators.

Of what is stored only what is too coarse for a single report to show.
"""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, Max, Min
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from aggregation.discovery import num_cells
from aggregation.registry import DiscoveryMechanism
from reports.formatting import data_size
from reports.kinds import DISCOVERY, algorithms_of, puzzle_of
from reports.models import DictionaryRevision, ReadOut, Shard, UseCase, Version
from reports.models.uploads import utc_today
from reports.results import cached_each
from reports.web.pages.tables import Cell, Heading, Table, number

LISTED = 20
# Adding up all files takes a moment.
STORED_SECONDS = 900


@dataclass(frozen=True)
class _Held:
    """Raw reports of a use case: a number of records, their bytes, and the oldest day."""

    records: int
    size: int
    oldest: datetime.date


@dataclass(frozen=True)
class Deleted:
    """Raw reports that are deleted next: of which day, and when."""

    use_case: UseCase
    oldest: datetime.date
    on: datetime.date


@dataclass(frozen=True)
class Storage:
    """The use cases with the most stored; `others` is how many more have something."""

    table: Table | None
    others: int
    next: Deleted | None


def storage(use_cases: Mapping[int, UseCase]) -> Storage:
    """Storage of each use case, the largest first."""
    # Sums of all owners, up to some minutes old.
    all_held: dict[int, _Held] = cache.get_or_set("held", _all_held, STORED_SECONDS) or {}
    held = {pk: each for pk, each in all_held.items() if pk in use_cases}
    read_outs = cached_each(list(use_cases.values()), "read-outs", "", _read_out_bytes)
    sizes = {pk: read_outs[pk] + (held[pk].size if pk in held else 0) for pk in use_cases}
    largest = sorted((pk for pk, size in sizes.items() if size), key=lambda pk: -sizes[pk])
    deletions = [Deleted(use_cases[pk], each.oldest, _deleted_on(use_cases[pk], each)) for pk, each in held.items()]
    headings = [
        Heading(_("Use case")),
        number(_("Raw reports")),
        number(_("Counts of days")),
        Heading(_("Oldest raw reports")),
        Heading(_("Deleted on")),
    ]
    rows = [_row(use_cases[pk], held.get(pk), read_outs[pk]) for pk in largest[:LISTED]]
    return Storage(
        table=Table(_("What is stored of each use case"), headings, rows) if rows else None,
        others=max(0, len(largest) - LISTED),
        next=min(deletions, key=lambda each: each.on, default=None),
    )


def _row(use_case: UseCase, held: _Held | None, read_outs: int) -> list[Cell | str]:
    return [
        Cell(use_case.title, reverse("use_case", args=[use_case.slug])),
        _raw(use_case, held) if held is not None else _("none"),
        _("about %(size)s") % {"size": data_size(read_outs)} if read_outs else _("none"),
        date_format(held.oldest) if held is not None else "–",
        date_format(_deleted_on(use_case, held)) if held is not None else "–",
    ]


def _deleted_on(use_case: UseCase, held: _Held) -> datetime.date:
    """When the oldest day's reports are: the task that deletes them may be late, but not early."""
    return max(held.oldest + datetime.timedelta(days=use_case.retention_days), utc_today())


def _raw(use_case: UseCase, held: _Held) -> str:
    """In two digits, in which a report more or less does not show."""
    if held.records < use_case.minimum_reports:
        most = held.size / max(1, held.records) * use_case.minimum_reports
        return _("less than %(size)s") % {"size": data_size(most)}
    return _("about %(size)s") % {"size": data_size(held.size)}


def _all_held() -> dict[int, _Held]:
    """Sum up storage by use case, of all owners."""
    found: dict[int, _Held] = {}
    versions = Version.objects.in_bulk()
    days = Shard.objects.order_by().values("version").annotate(oldest=Min("day")).values_list("version", "oldest")
    oldest_of = dict(days)
    for (version, _locale, stream), records in Shard.objects.sizes("version").items():
        of, oldest = versions[version], oldest_of.get(version, utc_today())
        size = records * of.mechanism.record_dtype(stream).itemsize
        reports = of.mechanism.reports_in({stream: records})
        before = found.get(of.use_case_id, _Held(0, 0, oldest))
        found[of.use_case_id] = _Held(before.records + reports, before.size + size, min(before.oldest, oldest))
    return found


def _read_out_bytes(use_cases: Sequence[UseCase]) -> dict[int, int]:
    """An integer of eight bytes for each element; of sketches one for each cell."""
    found = dict.fromkeys((use_case.pk for use_case in use_cases), 0)
    revisions = DictionaryRevision.objects.filter(version__use_case__in=use_cases)
    sizes = {pk: (use_case, size) for pk, use_case, size in revisions.values_list("pk", "version__use_case", "size")}
    # Nothing but what an index has: of years there are hundreds of thousands.
    counted = ReadOut.objects.filter(revision__in=list(sizes)).order_by().values("revision").annotate(files=Count("*"))
    for revision, files in counted.values_list("revision", "files"):
        use_case, size = sizes[revision]
        found[use_case] += files * 8 * size
    searched = Version.objects.filter(use_case__in=use_cases, algorithm__in=algorithms_of(DISCOVERY)).in_bulk()
    rows = ReadOut.objects.filter(version__in=list(searched), revision=None).order_by().values("version")
    sketched = rows.annotate(files=Count("*"), most=Max("n"))
    for pk, files, most in sketched.values_list("version", "files", "most"):
        found[searched[pk].use_case_id] += files * _sketch_bytes(puzzle_of(searched[pk]), most)
    return found


def _sketch_bytes(discovery: DiscoveryMechanism, reports: int) -> int:
    """Bytes of the cells of all sketches of a day, each as wide as the fullest row may need."""
    fullest = reports // min(discovery.word_shape[0], discovery.fragment_shape[0])
    return num_cells(discovery) * next(width for width in (1, 2, 4) if fullest < 256**width or width == 4)
