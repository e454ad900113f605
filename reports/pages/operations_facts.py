"""What else those are told who see to it that all goes on: what is left out, waits, lies here and will be deleted.

Numbers of reports are words where they are below the minimum, as everywhere; and of what is stored only what is too
coarse for a single report to show.
"""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import BigIntegerField, Count, F, Max, Min, QuerySet, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from aggregation.mechanisms import SequenceFragmentPuzzle
from reports.access import batches
from reports.ingest.reasons import REASONS, reason_in_words
from reports.models import DroppedReports, QuarantinedShard, ReadOut, Shard, UseCase, Version
from reports.models.uploads import utc_today
from reports.models.use_cases import WAITING_DAYS
from reports.numbers import data_size, whole
from reports.results.caching import cached_each
from reports.retention import how_many

# Days, today among them.
RECENT = 7
REMEMBERED = 28
LISTED = 20
# Adding up all files takes a moment.
STORED_SECONDS = 900


def _since(days: int) -> datetime.date:
    return utc_today() - datetime.timedelta(days=days - 1)


# --- Records that were left out ---


@dataclass(frozen=True)
class LeftOut:
    """Records of the last days' uploads for some use cases that were left out for one reason."""

    titles: str
    reason: str
    records: str
    # Empty if the records are fewer than may be told.
    share: str
    newest: datetime.date


def left_out(person: User, use_cases: Mapping[int, UseCase]) -> list[LeftOut]:
    """The most frequent first, of batches that somebody may see; only reasons that occurred."""
    recent = batches(person).filter(day__gte=_since(RECENT)).exclude(rejected={}).order_by()
    reasons = dict(enumerate(sorted(REASONS)))
    # A sum is NULL if the reason did not occur.
    sums = {f"n{place}": Sum(_count_of(reason)) for place, reason in reasons.items()}
    rows: QuerySet[Any, Any] = recent.values("use_case_ids").annotate(kept=Sum("accepted"), newest=Max("day"), **sums)
    found = [(row[f"n{place}"], reason, row) for row in rows for place, reason in reasons.items() if row[f"n{place}"]]
    found.sort(key=lambda each: (-each[0], each[1], each[2]["use_case_ids"]))
    return [_left_out(count, reason, row, use_cases) for count, reason, row in found[:LISTED]]


def _left_out(count: int, reason: str, row: Mapping[str, Any], use_cases: Mapping[int, UseCase]) -> LeftOut:
    theirs = [use_cases[pk] for pk in row["use_case_ids"] if pk in use_cases]
    minimum = max((use_case.minimum_reports for use_case in theirs), default=0)
    everything = row["kept"] + sum(row[name] or 0 for name in row if name[0] == "n" and name != "newest")
    return LeftOut(
        ", ".join(use_case.title for use_case in theirs) or _("none that exists"),
        reason_in_words(reason),
        how_many(count, minimum),
        # Beside a total that is known from published reports, a share is a number of them.
        _coarse_percent(count / everything) if count >= minimum else "",
        row["newest"],
    )


def _count_of(reason: str) -> Cast:
    return Cast(KeyTextTransform(reason, "rejected"), BigIntegerField())


def _coarse_percent(share: float) -> str:
    if share < 0.01:
        return _("less than 1 %")
    return _("about %(percent)s %%") % {"percent": whole(100 * share)}


# --- What waits in quarantine, and what was dropped ---


@dataclass(frozen=True)
class InQuarantine:
    use_case: UseCase
    words: str
    # The first day on which some of it is deleted, undecided.
    until: datetime.date


def in_quarantine(use_cases: Mapping[int, UseCase]) -> list[InQuarantine]:
    """Of each use case the batches that wait for a decision."""
    shards = QuarantinedShard.objects.filter(version__use_case__in=list(use_cases)).order_by()
    rows = shards.values("version__use_case").annotate(waiting=Count("batch", distinct=True), since=Min("held_since"))
    return [
        InQuarantine(
            use_cases[pk],
            ngettext("%(count)s batch", "%(count)s batches", waiting) % {"count": whole(waiting)},
            since + datetime.timedelta(days=WAITING_DAYS),
        )
        for pk, waiting, since in rows.order_by("since").values_list("version__use_case", "waiting", "since")
    ]


def dropped(use_cases: Mapping[int, UseCase]) -> list[tuple[UseCase, str]]:
    """On how many days something was dropped that devices sent. Never how much: it is less than may be published."""
    recent = DroppedReports.objects.filter(version__use_case__in=list(use_cases), day__gte=_since(REMEMBERED))
    rows = recent.order_by().values("version__use_case").annotate(days=Count("day", distinct=True))
    return [
        (use_cases[pk], ngettext("on %(days)s day", "on %(days)s days", days) % {"days": whole(days)})
        for pk, days in rows.order_by("-days").values_list("version__use_case", "days")
    ]


# --- What lies here ---


@dataclass(frozen=True)
class _Held:
    """Raw reports of a use case: a number of records, their bytes, and the oldest day."""

    records: int
    size: int
    oldest: datetime.date


@dataclass(frozen=True)
class Stored:
    use_case: UseCase
    raw: str
    read_outs: str
    oldest: datetime.date | None
    # When the reports of that day are deleted.
    deleted_on: datetime.date | None


@dataclass(frozen=True)
class Storage:
    """Of the use cases with the most; `others` is how many more have something."""

    lines: list[Stored]
    others: int
    # What is deleted next.
    next: Stored | None


def storage(use_cases: Mapping[int, UseCase]) -> Storage:
    """What lies here of each use case, the largest first."""
    held = _all_held()
    read_outs = cached_each(list(use_cases.values()), "read-outs", "", _read_out_bytes)
    sizes = {pk: read_outs[pk] + (held[pk].size if pk in held else 0) for pk in use_cases}
    largest = sorted((pk for pk, size in sizes.items() if size), key=lambda pk: -sizes[pk])
    following = min(
        (pk for pk in use_cases if pk in held), key=lambda pk: _deleted_on(use_cases[pk], held[pk]), default=0
    )
    return Storage(
        lines=[_stored(use_cases[pk], held.get(pk), read_outs[pk]) for pk in largest[:LISTED]],
        others=max(0, len(largest) - LISTED),
        next=_stored(use_cases[following], held[following], read_outs[following]) if following else None,
    )


def _stored(use_case: UseCase, held: _Held | None, read_outs: int) -> Stored:
    return Stored(
        use_case,
        raw=_raw(use_case, held) if held is not None else _("none"),
        read_outs=_("about %(size)s") % {"size": data_size(read_outs)} if read_outs else _("none"),
        oldest=held.oldest if held is not None else None,
        deleted_on=_deleted_on(use_case, held) if held is not None else None,
    )


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
    """By use case, whoever owns it; as it was up to some minutes ago."""
    found: dict[int, _Held] | None = cache.get("held")
    if found is None:
        found = {}
        rows = Shard.objects.order_by().values("version", "stream").annotate(records=Sum("size"), oldest=Min("day"))
        versions = Version.objects.in_bulk()
        for version, stream, records, oldest in rows.values_list("version", "stream", "records", "oldest"):
            of = versions[version]
            size = records * of.mechanism.record_dtype(stream).itemsize
            # A report has a record in each stream.
            reports = records if stream == of.mechanism.streams[0] else 0
            before = found.get(of.use_case_id, _Held(0, 0, oldest))
            found[of.use_case_id] = _Held(before.records + reports, before.size + size, min(before.oldest, oldest))
        cache.set("held", found, STORED_SECONDS)
    return found


def _read_out_bytes(use_cases: Sequence[UseCase]) -> dict[int, int]:
    """An integer of eight bytes for each element; of sketches one for each cell."""
    found = dict.fromkeys((use_case.pk for use_case in use_cases), 0)
    rows = ReadOut.objects.filter(version__use_case__in=use_cases).order_by().values("version", "revision")
    counted = rows.annotate(files=Count("pk"), most=Max("n"), size=F("revision__size"))
    versions = Version.objects.filter(use_case__in=use_cases).in_bulk()
    for key, files, most, size in counted.values_list("version", "files", "most", "size"):
        version = versions[key]
        each = 8 * size if version.discovery is None else _sketch_bytes(version.discovery, most)
        found[version.use_case_id] += files * each
    return found


def _sketch_bytes(discovery: SequenceFragmentPuzzle, reports: int) -> int:
    """Of the cells of all sketches of a day, each as wide as the fullest row may need."""
    cells = discovery.words.k * discovery.words.m
    cells += len(discovery.positions) * discovery.fragments.k * discovery.fragments.m
    fullest = reports // min(discovery.words.k, discovery.fragments.k)
    return cells * next(width for width in (1, 2, 4) if fullest < 256**width or width == 4)
