"""The end of a run: the parts' integers become support counts of closed days, which are cut into periods. Once."""

from collections.abc import Iterator
from functools import partial
from itertools import groupby, islice
from typing import cast

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from reports.jobs import end, hold
from reports.models import DictionaryRevision, Part, Period, ReadOut, Run, Sealing, Shard, UseCase
from reports.notifications import enqueue_deliveries
from reports.publication import cut, lock_publications
from reports.results import publish_words, warm
from reports.runs.abort import forget_failed_before
from reports.runs.cutting import dictionary_of, ordered_shards
from reports.runs.discovery_plan import search_parts
from reports.runs.discovery_steps import found_words
from reports.storage import commit, delete_after_commit, new_name, open_array, reserved, store_array


def publish(run: Run) -> None:
    """Publish a run whose parts are all done, or plan the search for words when everything is sketched."""
    if run.version.discovery is None:
        _publish_counted(run, dictionary_of(run))
    else:
        _publish_found(run)


@transaction.atomic
def _publish_found(run: Run) -> None:
    """The words of all locales, if they have been looked for: that begins when everything is sketched."""
    held = hold(run)
    if held is None or _begin_search(held):
        return
    publish_words(held.version, found_words(held))
    _finish(held)


def _begin_search(run: Run) -> bool:
    """Cut periods of what is sketched, and plan the search for words in those of the run; False if that was done.

    Or if there are none. Whoever did the last part calls the others.
    """
    mechanism = run.version.discovery
    if mechanism is None or run.parts.filter(step=Part.Step.WORDS).exists():
        return False
    if cut(run.version):
        UseCase.renew_generation(run.version.use_case_id)
    return bool(Part.objects.bulk_create(search_parts(run, mechanism)))


def _publish_counted(run: Run, revision: DictionaryRevision) -> None:
    # Of each closed day and locale, whose reports may lie in several streams.
    groups = [
        list(group) for _key, group in groupby(ordered_shards(run), lambda shard: (shard.sealing_id, shard.locale))
    ]
    names = [new_name("read-outs") for _ in groups]
    # None if another has released them, and was interrupted.
    sums = _sums_of_parts(run, revision) if groups else iter(())
    with reserved(names):
        # A read-out is written before the next group of shards is summed: memory does not grow with their number.
        for group, name in zip(groups, names, strict=True):
            counts = sum(islice(sums, len(group)), np.zeros(revision.size, np.int64))
            store_array(counts, name, group[0].day)
        changed = _release(run, revision, groups, names)
    if changed is None:
        return
    # Before the run is called finished: pages then find what they ask for. Whoever dies in between is followed by
    # another, who ends the run.
    warm(run.version, changed)
    with transaction.atomic():
        held = hold(run)
        if held is not None:
            _finish(held)


def _sums_of_parts(run: Run, revision: DictionaryRevision) -> Iterator[NDArray[np.int64]]:
    """One read-out for each shard of the run, in the order that `Part` counts them in."""
    parts = run.parts.order_by("start_shard", "start_row")
    for (start, stop), group in groupby(parts, key=lambda part: (part.start_shard, part.stop_shard)):
        total = np.zeros((stop - start, revision.size), dtype=np.int64)
        for part in group:
            total += open_array(part.file_name).reshape(total.shape)
        yield from total


@transaction.atomic
def _release(
    run: Run, revision: DictionaryRevision, groups: list[list[Shard]], names: list[str]
) -> list[Period] | None:
    """Keep what was counted and cut periods; return those that are new or counted anew. None if the run has ended."""
    if hold(run) is None:
        return None
    lock_publications(run.version)
    counted = [_keep(run, revision, group, name) for group, name in zip(groups, names, strict=True)]
    commit([read_out.file_name for read_out in counted if read_out is not None])
    anew = _counted_anew([read_out for read_out in counted if read_out is not None])
    closed = cut(run.version)
    # From here on it needs no raw reports: whoever deletes some lets it end.
    run.shards.clear()
    UseCase.renew_generation(run.version.use_case_id)
    gone = set(anew) - set(run.version.periods.filter(pk__in=[period.pk for period in anew]))
    return [*closed, *(period for period in anew if period not in gone)]


def _keep(run: Run, revision: DictionaryRevision, shards: list[Shard], name: str) -> ReadOut | None:
    """Own the counts of a closed day and locale, in place of older ones; drop them if a run was faster."""
    shard = shards[0]
    sealing = cast(Sealing, shard.sealing)  # a constraint of the table
    there = ReadOut.objects.filter(sealing=sealing, locale=shard.locale).select_related("revision").first()
    if there is None:
        return ReadOut.objects.create(
            version=run.version,
            revision=revision,
            locale=shard.locale,
            day=shard.day,
            sealing=sealing,
            n=run.version.mechanism.reports_in({each.stream: each.size for each in shards}),
            file_name=name,
        )
    if there.revision is None or there.revision.number >= revision.number:
        delete_after_commit([name])  # with the same integers, or by a newer dictionary
        return None
    delete_after_commit([there.file_name])
    there.revision, there.file_name = revision, name
    there.save(update_fields=["revision", "file_name"])
    return there


def _counted_anew(counted: list[ReadOut]) -> list[Period]:
    """The periods that some of these counts are in, which now know by which dictionaries all of theirs are."""
    periods = list(Period.objects.filter(pk__in={row.period_id for row in counted if row.period_id is not None}))
    for period in periods:
        revisions = period.read_outs.order_by("revision").values_list("revision", flat=True).distinct()
        period.revisions = list(revisions)
        period.save(update_fields=["revisions"])
    return periods


def _finish(run: Run) -> None:
    end(run)
    forget_failed_before(run)
    UseCase.renew_generation(run.version.use_case_id)
    transaction.on_commit(partial(enqueue_deliveries, run.version.use_case_id), robust=True)
