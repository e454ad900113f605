"""What the demo's fleets send, a week of days, each of which is stored whole or not at all; and its runs."""

import datetime
from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Max, Min, QuerySet

from reports.demo.fleets import Fleet
from reports.ingest import Upload, ingest
from reports.models import Run, Shard, UseCase, Version
from reports.models.uploads import utc_today
from reports.runs import start_run
from reports.simulation import simulate
from reports.storage import spool_folder

# A week, so that there is something to choose from.
DAYS = 7


class Load(NamedTuple):
    """What a fleet sends on a day."""

    day: datetime.date
    reports: int
    seed: int


def days() -> list[datetime.date]:
    """The last complete days, oldest first."""
    today = utc_today()
    return [today - datetime.timedelta(days=back) for back in range(DAYS, 0, -1)]


def version_of(fleet: Fleet) -> Version | None:
    """The version that the demo has defined; None if somebody has replaced or paused it since, or deleted it."""
    running = Version.objects.filter(use_case__state=UseCase.State.RUNNING, state=Version.State.ACTIVE)
    return running.filter(use_case__slug=fleet.slug, number=1).first()


def missing_loads(version: Version, total: int) -> list[Load]:
    """Those that are not stored: all at first, none once a week is complete, some after an interrupted start."""
    past = [rows.filter(day__lt=utc_today()) for rows in (version.shards, version.read_outs)]
    there = {day for rows in past for day in rows.values_list("day", flat=True)}
    if len(there) >= min(DAYS, total):  # perhaps of an earlier week
        return []
    loads = [Load(day, total // DAYS + (seed < total % DAYS), seed) for seed, day in enumerate(days())]
    first = version.use_case.first_day_kept(utc_today())
    return [load for load in loads if load.reports and load.day not in there and load.day >= first]


def send_reports(fleet: Fleet, version: Version, loads: list[Load]) -> Iterator[int]:
    """Simulate a fleet and upload what it sends, a batch a day. Yields how many reports have been taken in."""
    if not loads:  # making shares of a quarter of a million domains takes a second
        return
    shares, taken = fleet.shares(version), 0
    for load in loads:
        with spool_folder() as folder:
            documents = folder / "fleet.ndjson"
            simulate(version, shares, load.reports, load.seed, documents)
            with documents.open("rb") as stream:
                receipt = ingest(Upload(stream, "ndjson"), UseCase.objects.filter(slug=fleet.slug), day=load.day)
        taken += receipt.accepted
        yield taken


def is_counted(version: Version) -> bool:
    """Whether all that the demo has sent is in the results."""
    sent = version.shards.filter(day__in=days())
    counted = version.read_outs.filter(revision=version.current_dictionary()).values("day")
    if sent.exclude(day__in=counted).exists():
        return False
    return version.discovery is None or not sent.exists() or _is_searched(version, sent)


def _is_searched(version: Version, shards: QuerySet[Shard]) -> bool:
    """Whether a run has looked for words in all of these at once: that days are sketched does not say so."""
    over = shards.aggregate(first=Min("day"), last=Max("day"))
    finished = version.runs.filter(state=Run.State.FINISHED)
    return finished.filter(first_day__lte=over["first"], last_day__gte=over["last"]).exists()


def order_run(version: Version) -> Run:
    """Order a run over what the demo has sent."""
    if version.discovery is None:
        return start_run(version)
    # Words are looked for in a window, which would end with what others have sent today.
    return start_run(version, days()[0], days()[-1])
