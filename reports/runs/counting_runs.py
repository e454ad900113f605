"""Runs that count a dictionary: its parts become support counts of closed days, which are cut into periods."""

import datetime
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, islice
from typing import cast

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from reports.jobs import hold
from reports.models import DictionaryRevision, Part, Period, ReadOut, Run, Sealing, Shard, UseCase, Version
from reports.models.shards import ShardQuerySet, in_window
from reports.pending_files import commit, delete_after_commit, reserved
from reports.publication import cut, lock_publications, points_of
from reports.record_files import open_divisions
from reports.results import warm
from reports.results.changes import count_clear_changes
from reports.runs.available import NothingToAggregate, days_with_reports
from reports.runs.ending import finish_run
from reports.runs.engines import engine
from reports.runs.part_ranges import shard_ranges
from reports.runs.part_results import Result
from reports.runs.searches import LocaleOutcome
from reports.storage import new_name, open_array, store_array


class CountingRuns:
    def dictionary(self, version: Version) -> DictionaryRevision:
        """Return the dictionary that a run would count. Raises `NothingToAggregate`."""
        revision = version.current_dictionary()
        if revision is None or not revision.size:
            raise NothingToAggregate(_("The use case has no dictionary to count. Define one first."))
        return revision

    def days(
        self,
        version: Version,
        first: datetime.date | None,
        last: datetime.date | None,
        waiting: Collection[datetime.date] = (),
    ) -> set[datetime.date]:
        """Return the days of a window that have reports; `waiting` are days that will have some when sealed."""
        return {*days_with_reports(version, first, last), *waiting}

    def is_due(self, version: Version, last: datetime.date) -> bool:
        """Tell whether a run up to a day would read something out, or publish what is."""
        try:
            read = ReadOut.objects.filter(revision=self.dictionary(version))
        except NothingToAggregate:
            return False
        return version.shards.filter(day__lte=last).unread(read).exists()

    def shards(self, run: Run) -> ShardQuerySet:
        """Select the sealed shards that a run reads unless they are read out."""
        return run.version.shards.closed().filter(in_window(run.first_day, run.last_day))

    def parts(self, run: Run, unread: Sequence[Shard]) -> Iterator[Part]:
        """Yield a part for each range of rows of some of the shards, given by their places in their order."""
        sizes = [shard.size for shard in ordered_shards(run)]
        for shards, rows in shard_ranges(run.version.mechanism.divisions, sizes, dictionary_of(run).size):
            yield Part(
                run=run, start_row=rows.start, stop_row=rows.stop, start_shard=shards.start, stop_shard=shards.stop
            )

    def result_of(self, part: Part) -> Result:
        """Read a range of rows out of some shards."""
        shards = ordered_shards(part.run)[part.start_shard : part.stop_shard]
        points, mechanism = points_of(dictionary_of(part.run).pk), part.run.version.mechanism
        found = np.empty((len(shards), len(points)), np.int64)
        for stream in {shard.stream for shard in shards}:
            places = [place for place, shard in enumerate(shards) if shard.stream == stream]
            arrays = [open_divisions(shards[place], mechanism, part.start_row, part.stop_row) for place in places]
            found[places] = engine()(mechanism, arrays, points, part.start_row, part.stop_row, stream)
        return Result(found)

    def finish(self, run: Run) -> None:
        """Publish a run whose parts are all done, or add parts of a later step."""
        revision = dictionary_of(run)
        # Groups of each closed day and locale, whose reports may lie in several streams.
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
        # Before the run is called finished: pages then find what they ask for. A process that dies in between is
        # followed by another, which ends the run.
        warm(run.version, changed)
        with transaction.atomic():
            held = hold(run)
            if held is not None:
                finish_run(held)
        # As the last, which is of the results as they are from now on.
        count_clear_changes(UseCase.objects.get(pk=run.version.use_case_id))

    def outcomes(self, run: Run) -> list[LocaleOutcome] | None:
        """Return what came of a finished run in each locale; None where results are made when asked for."""
        return None


def dictionary_of(run: Run) -> DictionaryRevision:
    """Return the dictionary that a run counts. Raises LookupError if it finds words instead."""
    if run.revision is None:
        raise LookupError("This run has no dictionary to count.")
    return run.revision


def ordered_shards(run: Run) -> list[Shard]:
    """Return the shards of a run whose records are reports, in the order that `Part` counts them in.

    By closed day and locale, of each of which there are several where a mechanism's reports lie in one of several
    streams.
    """
    of_reports = run.shards.filter(stream__in=run.version.mechanism.report_streams)
    return list(of_reports.select_related("sealing").order_by("sealing", "locale", "stream"))


def _sums_of_parts(run: Run, revision: DictionaryRevision) -> Iterator[NDArray[np.int64]]:
    """Yield a read-out for each shard of the run, in the order that `Part` counts them in."""
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
    # From here on it needs no raw reports: a deletion lets it end.
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
    """Return the periods that some of these counts are in, which now know by which dictionaries all of theirs are."""
    periods = list(Period.objects.filter(pk__in={row.period_id for row in counted if row.period_id is not None}))
    for period in periods:
        revisions = period.read_outs.order_by("revision").values_list("revision", flat=True).distinct()
        period.revisions = list(revisions)
        period.save(update_fields=["revisions"])
    return periods
