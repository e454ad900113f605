"""Screening of every batch for records that honest devices would not have sent, however it came."""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from aggregation.encoding import join_records, sort_records
from aggregation.screening import FALSE_ALARM_RATE, Finding, screen
from reports.collection.ingest.content import Content
from reports.collection.ingest.recognition import Before
from reports.models import Batch, QuarantinedShard, Version
from reports.models import Finding as StoredFinding
from reports.record_files import Array, RecordFile

# Locales with fewer records of a version are screened together: alone they would tell little, and what is the same
# in many of them would not be seen.
SCREENED_ALONE = 100


class Suspicion(NamedTuple):
    """A finding in a version's records of one locale, or of several if none is given; its p-value is the batch's."""

    version: Version
    locale: str
    finding: Finding


class Screened(NamedTuple):
    """Findings in the records of an upload alone, and the number of tests that its rate is divided by."""

    found: list[Suspicion]
    parts: int


def screened(files: Iterable[RecordFile], content: Content) -> Screened:
    """Screen files that are not stored yet for records that honest devices would not have sent.

    Of a million honest batches one has any on average, whatever the devices saw: see `aggregation.screening`.
    """
    groups = [group for file in files for group in _groups(file)]
    parts = len(groups) + len(content.digests) + len(content.samples)
    found = [
        Suspicion(version, locale, finding)
        for version, locale, streams in groups
        for finding in screen(version.mechanism, streams, FALSE_ALARM_RATE / parts)
    ]
    return Screened(found, parts)


def suspicions(own: Screened, before: Iterable[Before]) -> list[Suspicion]:
    """Return all that is suspicious of a batch: in its own records, and in what was stored before."""
    found = list(own.found)
    for version, finding, day in before:
        if finding.p_value <= FALSE_ALARM_RATE / own.parts:
            facts = {**finding.facts, "day": day.toordinal()}
            found.append(Suspicion(version, "", replace(finding, facts=facts)))
    return [each._replace(finding=_of_batch(each.finding, own.parts)) for each in found]


def _groups(file: RecordFile) -> Iterator[tuple[Version, str, Mapping[str, Array]]]:
    """Yield what is screened together: a locale's records by stream, or those of all locales that have few."""
    by_locale: dict[str, dict[str, Array]] = {}
    for each, records in file.arrays().items():
        by_locale.setdefault(each.locale, {})[each.stream] = records
    few = {locale for locale, streams in by_locale.items() if sum(map(len, streams.values())) < SCREENED_ALONE}
    if len(few) > 1:
        parts: dict[str, list[Array]] = {}
        for locale in few:
            for stream, records in by_locale.pop(locale).items():
                parts.setdefault(stream, []).append(records)
        yield file.version, "", {stream: sort_records(join_records(found)) for stream, found in parts.items()}
    for locale, streams in by_locale.items():
        yield file.version, locale, streams


def _of_batch(finding: Finding, parts: int) -> Finding:
    return replace(finding, p_value=min(1.0, parts * finding.p_value))


def hold(
    batch: Batch, stored: Sequence[tuple[RecordFile, str]], found: Sequence[Suspicion], since: datetime.date
) -> None:
    """Write the rows of a batch in quarantine: its shards in a table where no run looks, and the evidence."""
    QuarantinedShard.objects.bulk_create(
        QuarantinedShard(**file.columns(), file_name=name, batch=batch, held_since=since) for file, name in stored
    )
    StoredFinding.objects.bulk_create(
        StoredFinding(
            batch=batch,
            version=version,
            locale=locale,
            stream=finding.stream,
            test=finding.test,
            p_value=finding.p_value,
            facts=dict(finding.facts),
        )
        for version, locale, finding in found
    )
