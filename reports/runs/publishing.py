"""The end of a run: the parts' integers become read-outs of days, and those become histograms. Once."""

import uuid
from collections.abc import Iterator
from functools import partial
from itertools import groupby
from typing import Any, cast

import numpy as np
from django.db import transaction
from django.utils import timezone
from numpy.typing import NDArray

from reports.locks import Lock, alone
from reports.models import DictionaryRevision, ReadOut, Run, Sealing, Shard, UseCase
from reports.results import lock_publications, publish_windows
from reports.results.publish_words import publish_words
from reports.results.trend.weeks import weeks_over
from reports.runs.cutting import dictionary_of
from reports.runs.discovery_steps import found_words
from reports.runs.giving_up import forget_failed_before
from reports.storage import (
    announce,
    delete_after_commit,
    discard,
    new_name,
    open_array,
    own,
    spool_folder,
    store,
    write_array,
)
from reports.subscriptions import ring


def publish_if_complete(run_id: uuid.UUID, *, wait: bool) -> None:
    """Publish a run whose parts are all done. Whoever comes second does nothing.

    Whoever did the last part must wait: the other may just have looked, and have found that part still missing.
    """
    run = Run.objects.get(pk=run_id)
    if not _is_complete(run):
        return
    with alone(Lock.COMPLETE, run_id, wait=wait) as nobody_else:
        if nobody_else:
            _publish_complete(run_id)


def _is_complete(run: Run) -> bool:
    planned = run.state in Run.UNFINISHED and run.planned_at is not None and run.waits_until is None
    return planned and not run.parts.filter(finished_at=None).exists()


def _publish_complete(run_id: uuid.UUID) -> None:
    run = Run.objects.select_related("version__use_case", "revision").get(pk=run_id)
    if not _is_complete(run):
        return
    if run.version.discovery is None:
        _publish_counted(run, dictionary_of(run))
    else:
        _publish_found(run_id)


@transaction.atomic
def _publish_found(run_id: uuid.UUID) -> None:
    """The words of all locales."""
    run = _hold(run_id)
    if run is not None:
        publish_words(run.version, found_words(run))
        _finish(run)


def _publish_counted(run: Run, revision: DictionaryRevision) -> None:
    shards = list(run.shards.select_related("sealing").order_by("pk"))
    names = [new_name("read-outs") for _ in shards]
    announce(names)
    try:
        # A read-out is written before the next group of shards is summed: memory does not grow with their number.
        for shard, name, read_out in zip(shards, names, _sums_of_parts(run, revision), strict=True):
            _write(name, shard, read_out)
        published = _publish(run.pk, revision, shards, names)
    except BaseException:
        discard(names)
        raise
    if not published:
        discard(names)


def _sums_of_parts(run: Run, revision: DictionaryRevision) -> Iterator[NDArray[np.int64]]:
    """One read-out for each shard of the run, in the order that `Part` counts them in."""
    parts = run.parts.order_by("start_shard", "start_row")
    for (start, stop), group in groupby(parts, key=lambda part: (part.start_shard, part.stop_shard)):
        total = np.zeros((stop - start, revision.size), dtype=np.int64)
        for part in group:
            total += open_array(part.file_name).reshape(total.shape)
        yield from total


def _write(name: str, shard: Shard, read_out: NDArray[Any]) -> None:
    with spool_folder() as folder:
        path = folder / "read-out.npy"
        write_array(path, read_out.dtype, len(read_out), [read_out])
        store(path, name, shard.day)


@transaction.atomic
def _publish(run_id: uuid.UUID, revision: DictionaryRevision, shards: list[Shard], names: list[str]) -> bool:
    run = _hold(run_id)
    if run is None:
        return False
    lock_publications(run.version)
    known = set(
        ReadOut.objects.filter(version=run.version, revision=revision).values_list("sealing_id", "locale")
    )  # another run over an overlapping window may have been faster, with the same integers
    for shard, name in zip(shards, names, strict=True):
        if (shard.sealing_id, shard.locale) in known:
            delete_after_commit([name])
            continue
        ReadOut.objects.create(
            version=run.version,
            revision=revision,
            locale=shard.locale,
            day=shard.day,
            sealing=cast(Sealing, shard.sealing),  # a constraint of the table
            n=shard.size,
            file_name=name,
        )
    own([name for shard, name in zip(shards, names, strict=True) if (shard.sealing_id, shard.locale) not in known])
    _publish_windows(run, revision)
    _finish(run)
    return True


def _hold(run_id: uuid.UUID) -> Run | None:
    """The run as it is now, held until the transaction ends; None if it has ended already."""
    unfinished = Run.objects.filter(pk=run_id, state__in=Run.UNFINISHED).select_related("version__use_case")
    return unfinished.select_for_update(of=("self",)).first()


def _finish(run: Run) -> None:
    delete_after_commit(run.parts.exclude(file_name="").values_list("file_name", flat=True))
    # What is said of results that may not be published must not outlive them.
    run.parts.update(file_name="", facts={})
    now = timezone.now()
    run.state, run.finished_at, run.started_at = Run.State.FINISHED, now, run.started_at or now
    run.failure, run.failing_since, run.not_before = "", None, None
    run.save(update_fields=["state", "finished_at", "started_at", "failure", "failing_since", "not_before"])
    forget_failed_before(run)
    # Even if no window could be published: there are new days, which are told to be below the minimum.
    UseCase.renew_generation(run.version.use_case_id)
    transaction.on_commit(partial(ring, run.version.use_case_id), robust=True)


def _publish_windows(run: Run, revision: DictionaryRevision) -> None:
    """The whole of the run's window, each day of it by itself, and the weeks that are over, for every locale.

    Days before weeks: where they cannot all be published, it is the days that are. Other windows
    are made when somebody asks for them.
    """
    read_outs = ReadOut.objects.filter(version=run.version, revision=revision, day__range=(run.first_day, run.last_day))
    days: dict[str, list[Any]] = {}
    for locale, day in read_outs.order_by("locale", "day").values_list("locale", "day").distinct():
        days.setdefault(locale, []).append(day)
    # The whole is from a locale's own first day to its last, which is the window that pages ask for.
    windows = [
        (locale, first, last)
        for locale, found in days.items()
        for first, last in [(found[0], found[-1]), *((day, day) for day in found)]
    ]
    windows += weeks_over(run.version, run.version.locales, run.first_day, run.last_day)
    publish_windows(run.version, windows)
