"""Figures of the database that an operator watches: of jobs and hosts now, of reports by the day alone.

They are kept elsewhere, each with its time. So of reports they tell only what was sealed, of days that are over, in
whole multiples of a minimum: no moment at which something arrived can be read from them, and no small number. There is
no label for a use case, a locale, an element or a person.
"""

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator

from django.db.models import Count, Max, Min, Q
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric

from reports.clock import clock_doubt
from reports.collection.ingest import REASONS
from reports.jobs import JOB_TYPES, last_heartbeat, worker_hosts
from reports.models import Batch, Job, QuarantinedShard, ReadOut, Shard, Subscription, UseCase, Version
from reports.models.failures import CANCELLED
from reports.models.uploads import utc_today
from reports.runs import RUNS

# A run that failed is followed by another within a day.
RECENT = datetime.timedelta(days=1)


def figures_of_now() -> Iterator[Metric]:
    """Yield figures of hosts and jobs. These and the others are the same from whichever web process."""
    yield from _workers()
    yield from _jobs(timezone.now())
    failing = Subscription.objects.filter(failures__gt=0).count()
    yield _gauge("ldpsite_failing_subscriptions", "Subscriptions whose last message could not be sent.", failing)
    doubted = clock_doubt() is not None
    yield _gauge("ldpsite_clock_doubted", "Whether nothing is deleted, because the clock jumped.", doubted)


def figures_of_days() -> Iterator[Metric]:
    """Yield figures of reports: not to be asked for often, lest an upload that comes late be seen."""
    today = utc_today()
    yield from _days(timezone.now(), today)
    yield from _yesterday(today - datetime.timedelta(days=1))
    waiting = QuarantinedShard.objects.filter(held_since__lt=today).aggregate(n=Count("batch", distinct=True))["n"]
    yield _gauge("ldpsite_quarantined_batches", "Suspicious batches that wait for a person since yesterday.", waiting)


def _gauge(name: str, words: str, value: float) -> Metric:
    return GaugeMetricFamily(name, words, value=float(value))


def _labelled(name: str, words: str, labels: Iterable[str], values: Iterable[tuple[list[str], float]]) -> Metric:
    family = GaugeMetricFamily(name, words, labels=list(labels))
    for of, value in values:
        family.add_metric(of, float(value))
    return family


def _workers() -> Iterator[Metric]:
    seen, hosts = last_heartbeat(), list(worker_hosts())
    last = 0.0 if seen is None else seen.timestamp()
    yield _gauge("ldpsite_worker_heartbeat_timestamp_seconds", "When a worker last took anything up; 0 if never.", last)
    yield _labelled(
        "ldpsite_worker_host_seen_timestamp_seconds",
        "When a host with a worker was last seen; a host that ended in order is gone.",
        ["host"],
        (([host.name], host.seen_at.timestamp()) for host in hosts),
    )
    yield _labelled(
        "ldpsite_worker_free_disk_ratio",
        "Free share of a worker host's disk.",
        ["host"],
        (([host.name], host.free_disk_share) for host in hosts),
    )


def _jobs(now: datetime.datetime) -> Iterator[Metric]:
    states: list[tuple[list[str], float]] = []
    parts: list[tuple[list[str], float]] = []
    ages: list[tuple[list[str], float]] = []
    for each in JOB_TYPES.values():
        kind, jobs = each.model._meta.model_name or "", each.model.objects
        unfinished = jobs.unfinished().order_by()
        found = unfinished.aggregate(
            oldest=Min("created_at"),
            waiting=Count("pk", filter=Q(state=Job.State.WAITING)),
            running=Count("pk", filter=Q(state=Job.State.RUNNING)),
            stalled=Count("pk", filter=Q(failing_since__isnull=False)),
        )
        failed = jobs.filter(state=Job.State.FAILED, finished_at__gte=now - RECENT).exclude(failure=CANCELLED)
        states.append(([kind, "failed"], failed.count()))
        states += [([kind, state], found[state]) for state in ("waiting", "running", "stalled")]
        leased = Q(parts__lease_expires_at__gt=now)
        left = unfinished.filter(parts__isnull=False, parts__finished_at=None)
        numbers = left.aggregate(leased=Count("parts", filter=leased), available=Count("parts", filter=~leased))
        parts += [([kind, state], number) for state, number in numbers.items()]
        ages.append(([kind], (now - found["oldest"]).total_seconds() if found["oldest"] else 0.0))
    yield _labelled(
        "ldpsite_jobs",
        "Unfinished jobs, of which stalled ones wait for storage or database; and those that failed in the last day.",
        ["kind", "state"],
        states,
    )
    yield _labelled("ldpsite_job_parts", "Parts of unfinished jobs that are to be done.", ["kind", "state"], parts)
    yield _labelled("ldpsite_oldest_job_age_seconds", "Age of the oldest unfinished job.", ["kind"], ages)


def _days(now: datetime.datetime, today: datetime.date) -> Iterator[Metric]:
    over = Shard.objects.filter(day__lt=today).order_by()
    unclosed = over.unclosed().aggregate(oldest=Min("day"))["oldest"]
    yield _gauge(
        "ldpsite_closing_lag_seconds",
        "Time since the end of the oldest day that is over and has uploads that are not sealed; 0 if there is none.",
        _since_the_end_of(unclosed, now),
    )
    unread = dict(over.unread(ReadOut.objects.all()).values_list("version").annotate(oldest=Min("day")))
    yesterday = today - datetime.timedelta(days=1)
    due = (version for version in Version.objects.filter(pk__in=unread) if RUNS.of(version).is_due(version, yesterday))
    yield _gauge(
        "ldpsite_publication_lag_seconds",
        "Time since the end of the oldest day that is over and still to be counted and published; 0 if all are.",
        _since_the_end_of(min((unread[version.pk] for version in due), default=None), now),
    )


def _since_the_end_of(day: datetime.date | None, now: datetime.datetime) -> float:
    if day is None:
        return 0.0
    end = datetime.datetime.combine(day, datetime.time(), datetime.UTC) + datetime.timedelta(days=1)
    return (now - end).total_seconds()


def _yesterday(day: datetime.date) -> Iterator[Metric]:
    sealed = Batch.objects.filter(day=day, state=Batch.State.SEALED).order_by()
    yield _gauge("ldpsite_yesterday_uploads", "Uploads of yesterday that are sealed.", sealed.count())
    minimum = UseCase.objects.aggregate(largest=Max("minimum_reports"))["largest"] or 1
    left_out: Counter[str] = Counter(dict.fromkeys(sorted(REASONS), 0))
    for rejected in sealed.exclude(rejected={}).values_list("rejected", flat=True).iterator():
        left_out.update({reason: number for reason, number in rejected.items() if reason in REASONS})
    yield _labelled(
        "ldpsite_yesterday_left_out_records",
        "Records of those uploads that were left out, by reason, in whole multiples of the largest minimum.",
        ["reason"],
        (([reason], number - number % minimum) for reason, number in left_out.items()),
    )
    # Once for each sealing, however many dictionaries it was counted with.
    counted = ReadOut.objects.filter(day=day).order_by().values_list("version", "locale", "sealing")
    reports = sum(
        n - n % least for *_, least, n in counted.annotate(Max("version__use_case__minimum_reports"), Max("n"))
    )
    yield _gauge(
        "ldpsite_yesterday_counted_reports",
        "Reports of yesterday that were counted, of each locale in whole multiples of the minimum.",
        reports,
    )
