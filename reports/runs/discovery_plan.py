"""The parts of a run that finds words: sketch what is new, read fragments out of all days, join words."""

from collections.abc import Iterator, Sequence
from typing import cast

from aggregation.discovery import num_fragment_keys
from aggregation.mechanisms import SequenceFragmentPuzzle
from reports.models import Part, ReadOut, Run, Shard, Version, failures
from reports.runs.cutting import fragment_ranges
from reports.windows import in_window


class NoAlphabet(Exception):
    """Words cannot be put together without one; the message says for which locale."""


def discovery_parts(run: Run, mechanism: SequenceFragmentPuzzle, unread: Sequence[Shard]) -> Iterator[Part]:
    """Yield the parts of a run over what is sealed by now, `unread` being all shards that were never sketched.

    Those of days before and after the window are sketched as well, so that they are ready for whoever looks in them.
    Which sealings these are is kept with the parts: what another run seals and sketches later is not in this one.
    """
    for shard in unread:
        # Every report has its word in this stream, so that no locale and sealing is without.
        if shard.stream in mechanism.report_streams:
            yield Part(run=run, step=Part.Step.SKETCH, locale=shard.locale, sealing=shard.sealing)
    for locale, sealings in _sealings(run, unread).items():
        if sum(sealings.values()) < run.version.use_case.minimum_reports:
            continue  # nothing could be published, and so nothing is looked for
        facts = {"sealings": list(sealings)}
        keys = num_fragment_keys(alphabet(run.version, locale))
        for start_row, stop_row in fragment_ranges(mechanism.fragments.k, keys, len(mechanism.positions)):
            yield Part(
                run=run, step=Part.Step.FRAGMENTS, locale=locale, start_row=start_row, stop_row=stop_row, facts=facts
            )
        yield Part(run=run, step=Part.Step.WORDS, locale=locale, facts=facts)


def _sealings(run: Run, unread: Sequence[Shard]) -> dict[str, dict[int, int]]:
    """The sealings of each locale in the window, in the order of days, and how many reports each has."""
    sketched = ReadOut.objects.filter(in_window(run.first_day, run.last_day), version=run.version, revision=None)
    words = (shard for shard in unread if shard.stream in run.version.mechanism.report_streams)
    rows = {
        (shard.locale, shard.day, cast(int, shard.sealing_id), shard.size)
        for shard in words
        if run.first_day <= shard.day <= run.last_day
    }
    found: dict[str, dict[int, int]] = {}
    for locale, _day, sealing, n in sorted(rows.union(sketched.values_list("locale", "day", "sealing_id", "n"))):
        found.setdefault(locale, {})[sealing] = n
    return found


def alphabet(version: Version, locale: str) -> str:
    """The characters of a locale's words. Raises `NoAlphabet`."""
    found = version.alphabet_of(locale)
    if not found:
        raise NoAlphabet(failures.NO_ALPHABET % {"locale": locale})
    return found
