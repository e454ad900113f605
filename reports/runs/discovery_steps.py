"""Steps of finding words: sketch a day, read fragments out of the sketches of all days, join words."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggregation.discovery import cut_fragments, fragment_keys, join_fragments, read_fragments, read_words
from aggregation.registry import DiscoveryMechanism
from reports.day_sketches import KeptSketches, open_sketches, sketch_day
from reports.jobs import PermanentFailure
from reports.kinds import puzzle_of
from reports.models import Part, ReadOut, Run, Sealing, Version, failures
from reports.record_files import open_records
from reports.runs.found_words import FoundWords, HowFound
from reports.runs.part_ranges import FRAGMENT_BYTES
from reports.storage import open_array

# For each key and position; a range of rows rarely has as many reports as do not fit.
NARROW = np.dtype(f"<u{FRAGMENT_BYTES}")


def alphabet(version: Version, locale: str) -> str:
    """Return the characters of a locale's words. Raises `PermanentFailure`: words cannot be put together without."""
    found = version.alphabet_of(locale)
    if not found:
        raise PermanentFailure(failures.NO_ALPHABET % {"locale": locale})
    return found


def sketch_sealing(part: Part) -> NDArray[Any] | None:
    """Sketch all streams of a locale and sealing; None if another run has since this one was planned."""
    if ReadOut.objects.filter(locale=part.locale, sealing=part.sealing).exists():
        return None
    shards = list(part.run.shards.filter(sealing=part.sealing, locale=part.locale))
    mechanism = _mechanism(part)
    records = open_records(shards, mechanism)
    return sketch_day(mechanism, {shard.stream: found for shard, found in zip(shards, records, strict=True)})


def read_fragments_of_rows(part: Part) -> NDArray[Any]:
    """Read every fragment out of a range of rows of all days together."""
    mechanism = _mechanism(part)
    keys = fragment_keys(alphabet(part.run.version, part.locale), mechanism.fragments.family)
    days = [kept.sketches for kept in _sketches(part)]
    found = read_fragments(mechanism, days, keys, part.start_row, part.stop_row)
    return found.astype(NARROW) if found.max(initial=0) <= np.iinfo(NARROW).max else found


def find_words(part: Part) -> tuple[NDArray[Any], dict[str, Any]]:
    """Join what the fragments allow; returns the candidates with their read-outs of every sealing, and how."""
    mechanism = _mechanism(part)
    keys = fragment_keys(alphabet(part.run.version, part.locale), mechanism.fragments.family)
    kept = _sketches(part)
    reports = np.sum([each.reports for each in kept], axis=0)
    cut = cut_fragments(mechanism, _fragments(part, (len(mechanism.positions), len(keys))), reports.tolist())
    joined = join_fragments(mechanism, keys, cut)
    found = np.zeros(len(joined.words), [("word", f"<U{mechanism.length}"), ("counts", "<i8", (len(kept),))])
    found["word"] = joined.words
    found["counts"] = read_words(mechanism, [each.sketches for each in kept], joined.words).T
    # A list's remarks on words in single periods need how many reports were about words in each.
    by_sealing = {"reports_by_sealing": [each.reports.tolist() for each in kept]}
    return found, HowFound.of(cut, joined).as_facts() | by_sealing


def found_words(run: Run) -> list[FoundWords]:
    """Return what `find_words` handed in, of all locales."""
    return [_found(part) for part in run.parts.filter(step=Part.Step.WORDS).order_by("locale")]


def _found(part: Part) -> FoundWords:
    sealings = part.facts["sealings"]
    days = Sealing.objects.filter(pk__in=sealings).values_list("day", flat=True)
    found = open_array(part.file_name)
    return FoundWords(
        locale=part.locale,
        sealings=sealings,
        first=min(days),
        last=max(days),
        words=found["word"].tolist(),
        counts=np.array(found["counts"].T),
        reports=part.facts["reports_by_sealing"],
        how=HowFound.from_facts(part.facts),
    )


def _mechanism(part: Part) -> DiscoveryMechanism:
    return puzzle_of(part.run.version)


def _sketches(part: Part) -> list[KeptSketches]:
    """Return the sketches of the part's locale and sealings, in their order."""
    sealings = part.facts["sealings"]
    read_outs = ReadOut.objects.filter(locale=part.locale, sealing__in=sealings)
    names = dict(read_outs.values_list("sealing_id", "file_name"))
    return [open_sketches(_mechanism(part), names[sealing]) for sealing in sealings]


def _fragments(part: Part, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return the sum of what was read out of all rows."""
    total = np.zeros(shape, np.int64)
    ranges = part.run.parts.filter(step=Part.Step.FRAGMENTS, locale=part.locale)
    for name in ranges.values_list("file_name", flat=True):
        total += open_array(name).reshape(shape)
    return total
