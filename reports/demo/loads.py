"""Reports of the demo's fleets: weeks of days, each of which is stored whole or not at all; and the demo's runs."""

import datetime
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from django.db.models import Max, Min, QuerySet

from reports.collection.ingest import Upload, ingest
from reports.demo.fleets import Fleet
from reports.demo.stories import Moment, shares_at
from reports.kinds import ByKind
from reports.models import Annotation, Run, Shard, UseCase, Version
from reports.models.uploads import utc_today
from reports.runs import start_run
from reports.simulation import simulate
from reports.storage import spool_folder

WEEK = 7
# Monday to Sunday, on average 1: any seven days in a row have as many reports as any others.
RHYTHM = (0.94, 0.95, 0.97, 0.98, 1.02, 1.09, 1.05)


class Load(NamedTuple):
    """Reports of a fleet on a day. `back` counts the days until the demo was set up, and is the seed."""

    day: datetime.date
    reports: int
    back: int


def days(version: Version, week: int) -> list[datetime.date]:
    """The days of a week, newest first; week 1 ends on the day before the use case was defined.

    So a demo that is completed later completes the same days.
    """
    defined = version.created_at.astimezone(datetime.UTC).date()
    return [defined - datetime.timedelta(days=back) for back in range((week - 1) * WEEK + 1, week * WEEK + 1)]


def version_of(fleet: Fleet) -> Version | None:
    """The version that the demo has defined; None if it was replaced, paused or deleted since."""
    running = Version.objects.active().filter(use_case__state=UseCase.State.RUNNING)
    return running.filter(use_case__slug=fleet.slug, number=1).first()


def loads_of_week(version: Version, total: int, week: int) -> list[Load]:
    """Divide `total` reports among the days of a week."""
    found, shared, taken = [], 0.0, 0
    of_week = days(version, week)
    whole = sum(RHYTHM[day.weekday()] for day in of_week)
    for place, day in enumerate(of_week):
        shared += RHYTHM[day.weekday()]
        so_far = round(total * shared / whole)
        found.append(Load(day, so_far - taken, (week - 1) * WEEK + place + 1))
        taken = so_far
    return found


def missing_loads(version: Version, total: int, week: int) -> list[Load]:
    """Return the loads of a week that are not stored yet: some of them after an interrupted start."""
    there = days_there(version)
    today = utc_today()
    first = version.use_case.first_day_kept(today)
    loads = loads_of_week(version, total, week)
    return [load for load in loads if load.reports and load.day not in there and first <= load.day < today]


def days_there(version: Version) -> set[datetime.date]:
    """Days that have reports, or had some: those of a sealed day would be counted today."""
    found = (version.shards, version.read_outs, version.sealings)
    return {day for rows in found for day in rows.values_list("day", flat=True)}


def days_not_counted(fleet: Fleet) -> int:
    """Count the days of the demo that are not in the results; 0 if the version was replaced or paused."""
    version = version_of(fleet)
    if version is None:
        return 0 if UseCase.objects.filter(slug=fleet.slug).exists() else fleet.weeks * WEEK
    first = version.use_case.first_day_kept(utc_today())
    wanted = {day for week in range(1, fleet.weeks + 1) for day in days(version, week) if day >= first}
    return len(wanted - set(version.read_outs.values_list("day", flat=True)))


def days_of_demo(fleet: Fleet, version: Version) -> int:
    """Count the demo's days that are stored so far."""
    wanted = {day for week in range(1, fleet.weeks + 1) for day in days(version, week)}
    return len(wanted & days_there(version))


def send_reports(fleet: Fleet, version: Version, loads: list[Load]) -> Iterator[int]:
    """Simulate a fleet and upload what it sends, a batch a day. Yields how many reports have been taken in."""
    if not loads:  # making shares of a quarter of a million domains takes a second
        return
    shares, taken = fleet.shares(version), 0
    for load in loads:
        moment = Moment(load.back, load.day.weekday())
        of_day = [shares_at(moment, version, of_locale, fleet.story) for of_locale in shares]
        _annotate(fleet, version, load)
        with spool_folder() as folder:
            documents = folder / "fleet.ndjson"
            simulate(version, of_day, load.reports, load.back, documents)
            with documents.open("rb") as stream:
                receipt = ingest(Upload(stream, "ndjson"), UseCase.objects.filter(slug=fleet.slug), day=load.day)
        taken += receipt.accepted
        yield taken


def _annotate(fleet: Fleet, version: Version, load: Load) -> None:
    """Add the day's annotations. They are made with its reports only, so that deleted ones stay deleted."""
    for remark in fleet.remarks:
        if remark.back == load.back:
            use_case = None if remark.everywhere else version.use_case
            Annotation.objects.get_or_create(use_case=use_case, day=load.day, text=remark.text)


def is_counted(version: Version, week: int) -> bool:
    """Tell whether all reports of a week are in the results."""
    sent = version.shards.filter(day__in=days(version, week))
    counted = version.read_outs.filter(revision=version.current_dictionary()).values("day")
    if sent.exclude(day__in=counted).exists():
        return False
    return not sent.exists() or _SEARCHED.of(version)(version, sent)


def _is_searched(version: Version, shards: QuerySet[Shard]) -> bool:
    """Tell whether one run has searched all these shards for words; that their days are sketched does not imply it."""
    over = shards.aggregate(first=Min("day"), last=Max("day"))
    finished = version.runs.filter(state=Run.State.FINISHED)
    return finished.filter(first_day__lte=over["first"], last_day__gte=over["last"]).exists()


_SEARCHED: Final = ByKind[Callable[[Version, QuerySet[Shard]], bool]](
    counting=lambda _version, _shards: True, discovery=_is_searched
)


def order_run(version: Version, week: int) -> Run:
    """Order a run over what the demo has sent: all of it, or the week in which words are looked for."""
    of_week = days(version, week)
    windows = ByKind(counting=(None, None), discovery=(of_week[-1], of_week[0]))
    return start_run(version, *windows.of(version))
