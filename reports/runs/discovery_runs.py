"""Runs that discover words: sketch what is new; then, of the periods of their days, read fragments and join words."""

import datetime
from collections.abc import Collection, Iterator, Sequence

from django.db import transaction
from django.db.models import Q

from aggregation.discovery import num_fragment_keys
from reports.jobs import hold
from reports.kinds import first_of_window, puzzle_of
from reports.models import Part, ReadOut, Run, Shard, UseCase, Version
from reports.models.shards import ShardQuerySet, in_window
from reports.publication import cut
from reports.results.changes import count_clear_changes
from reports.runs.available import days_with_reports
from reports.runs.discovery_steps import alphabet, find_words, found_words, read_fragments_of_rows, sketch_sealing
from reports.runs.ending import finish_run
from reports.runs.part_ranges import fragment_ranges
from reports.runs.part_results import Result
from reports.runs.searches import LocaleOutcome, days_to_search, is_searched, outcomes, searched_window
from reports.runs.word_publication import publish_words


class DiscoveryRuns:
    def dictionary(self, version: Version) -> None:
        return None

    def days(
        self,
        version: Version,
        first: datetime.date | None,
        last: datetime.date | None,
        waiting: Collection[datetime.date] = (),
    ) -> set[datetime.date]:
        """Return the days of a window that have reports, the last few if no first day is given."""
        if first is None and last is None:
            days = {*days_to_search(version), *waiting}
        else:
            days = {*days_with_reports(version, first, last), *waiting}
        if first is not None or not days:
            return days
        return {day for day in days if day >= first_of_window(max(days))}

    def is_due(self, version: Version, last: datetime.date) -> bool:
        first = min(self.days(version, None, last))
        # A run seals the days of its own window only; older ones wait until they are.
        over = version.shards.filter(day__lte=last).filter(in_window(first, last) | Q(batch=None, index__isnull=True))
        if over.unread(ReadOut.objects.all()).exists():
            return True
        windows = (searched_window(version, locale, first, last) for locale in version.locales)
        return any(window is not None and not is_searched(window) for window in windows)

    def shards(self, run: Run) -> ShardQuerySet:
        """Select also those of days before and after the window, so that searches of those find them ready."""
        return run.version.shards.closed()

    def parts(self, run: Run, unread: Sequence[Shard]) -> Iterator[Part]:
        """Yield a part for each locale and sealing that was never sketched."""
        found = {(shard.locale, shard.sealing_id): shard for shard in unread}
        return (
            Part(run=run, step=Part.Step.SKETCH, locale=shard.locale, sealing=shard.sealing) for shard in found.values()
        )

    def result_of(self, part: Part) -> Result:
        if part.step == Part.Step.SKETCH:
            return Result(sketch_sealing(part))
        if part.step == Part.Step.FRAGMENTS:
            return Result(read_fragments_of_rows(part))
        return Result(*find_words(part))

    def finish(self, run: Run) -> None:
        """Publish the words of all locales, if they have been looked for: that begins when everything is sketched."""
        with transaction.atomic():
            held = hold(run)
            if held is None or _begin_search(held):
                return
            publish_words(held.version, found_words(held))
            finish_run(held)
        count_clear_changes(UseCase.objects.get(pk=run.version.use_case_id))

    def outcomes(self, run: Run) -> list[LocaleOutcome]:
        return outcomes(run)


def _begin_search(run: Run) -> bool:
    """Cut periods of what is sketched, and plan the search for words in those of the run; False if that was done.

    False as well if no period is to be searched. The process that did the last part calls the others.
    """
    if run.parts.filter(step=Part.Step.WORDS).exists():
        return False
    if cut(run.version):
        UseCase.renew_generation(run.version.use_case_id)
    return bool(Part.objects.bulk_create(_search_parts(run)))


def _search_parts(run: Run) -> Iterator[Part]:
    """Yield the parts that look for words in the periods of the run's days, once these are cut.

    Which closed days these are is kept with the parts: what becomes a period later is not in this run.
    """
    mechanism = puzzle_of(run.version)
    for locale in run.version.locales:
        window = searched_window(run.version, locale, run.first_day, run.last_day)
        if window is None:
            continue
        read_outs = run.version.read_outs.filter(period__in=[period.pk for period in window.periods])
        facts = {"sealings": list(read_outs.order_by("day", "sealing").values_list("sealing", flat=True))}
        keys = num_fragment_keys(alphabet(run.version, locale))
        for start_row, stop_row in fragment_ranges(mechanism.fragment_shape[0], keys, len(mechanism.positions)):
            yield Part(
                run=run, step=Part.Step.FRAGMENTS, locale=locale, start_row=start_row, stop_row=stop_row, facts=facts
            )
        yield Part(run=run, step=Part.Step.WORDS, locale=locale, facts=facts)
