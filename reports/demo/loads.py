"""What the demo's fleets send: a week of days, each of which is stored whole or not at all."""

import datetime
from collections.abc import Iterator
from typing import NamedTuple

from reports.demo.fleets import Fleet
from reports.ingest import Upload, ingest
from reports.models import UseCase, Version
from reports.models.uploads import utc_today
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
    """The version that the demo has defined; None if somebody has replaced it since, or deleted it."""
    return Version.objects.filter(use_case__slug=fleet.slug, number=1, state=Version.State.ACTIVE).first()


def missing_loads(version: Version, total: int) -> list[Load]:
    """Those that are not stored: all at first, none once a week is complete, some after an interrupted start."""
    past = [rows.filter(day__lt=utc_today()) for rows in (version.shards, version.read_outs)]
    there = {day for rows in past for day in rows.values_list("day", flat=True)}
    if len(there) >= min(DAYS, total):  # perhaps of an earlier week
        return []
    loads = [Load(day, total // DAYS + (seed < total % DAYS), seed) for seed, day in enumerate(days())]
    return [load for load in loads if load.reports and load.day not in there]


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
    """Whether all that the demo has sent is read out."""
    counted = version.read_outs.filter(revision=version.current_dictionary()).values("day")
    return not version.shards.filter(day__in=days()).exclude(day__in=counted).exists()
