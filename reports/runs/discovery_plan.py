"""The parts of a run that finds words: sketch what is new; then, of its periods, read fragments and join words."""

from collections.abc import Iterator, Sequence

from aggregation.discovery import num_fragment_keys
from aggregation.mechanisms import SequenceFragmentPuzzle
from reports.jobs import PermanentFailure
from reports.models import Part, Run, Shard, Version, failures
from reports.results import searched_window
from reports.runs.cutting import fragment_ranges


def sketch_parts(run: Run, mechanism: SequenceFragmentPuzzle, unread: Sequence[Shard]) -> Iterator[Part]:
    """Yield the parts that sketch what is closed by now, `unread` being all shards that were never sketched.

    Those of days before and after the window are sketched as well, so that they are ready for whoever looks in them.
    """
    for shard in unread:
        # Every report has its word in this stream, so that no locale and sealing is without.
        if shard.stream in mechanism.report_streams:
            yield Part(run=run, step=Part.Step.SKETCH, locale=shard.locale, sealing=shard.sealing)


def search_parts(run: Run, mechanism: SequenceFragmentPuzzle) -> Iterator[Part]:
    """Yield the parts that look for words in the periods of the run's days, once these are cut.

    Which closed days these are is kept with the parts: what becomes a period later is not in this run.
    """
    for locale in run.version.locales:
        window = searched_window(run.version, locale, run.first_day, run.last_day)
        if window is None:
            continue
        read_outs = run.version.read_outs.filter(period__in=[period.pk for period in window.periods])
        facts = {"sealings": list(read_outs.order_by("day", "sealing").values_list("sealing", flat=True))}
        keys = num_fragment_keys(alphabet(run.version, locale))
        for start_row, stop_row in fragment_ranges(mechanism.fragments.k, keys, len(mechanism.positions)):
            yield Part(
                run=run, step=Part.Step.FRAGMENTS, locale=locale, start_row=start_row, stop_row=stop_row, facts=facts
            )
        yield Part(run=run, step=Part.Step.WORDS, locale=locale, facts=facts)


def alphabet(version: Version, locale: str) -> str:
    """The characters of a locale's words. Raises `PermanentFailure`: words cannot be put together without."""
    found = version.alphabet_of(locale)
    if not found:
        raise PermanentFailure(failures.NO_ALPHABET % {"locale": locale})
    return found
