"""Screening of every batch for records that honest devices would not have sent, however it came."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aggregation.screening import FALSE_ALARM_RATE, Finding, screen
from reports.collection.ingest.collector import CollectedShard
from reports.collection.ingest.content import Content
from reports.collection.ingest.documents import Target
from reports.collection.ingest.recognition import stored_before
from reports.models import Batch, QuarantinedShard, Version
from reports.models import Finding as StoredFinding


class Suspicion(NamedTuple):
    """A finding in a version's records of one locale, or of all if none is given; its p-value is the batch's."""

    version: Version
    locale: str
    finding: Finding


def suspicions(shards: Iterable[CollectedShard], content: Content) -> list[Suspicion]:
    """Screen sorted files that are not stored yet for records that honest devices would not have sent.

    Of a million honest batches one has any on average, whatever the devices saw: see `aggregation.screening`.
    """
    targets: dict[Target, dict[str, NDArray[Any]]] = {}
    for shard in shards:
        targets.setdefault(shard.target, {})[shard.stream] = np.load(shard.path, mmap_mode="r", allow_pickle=False)
    parts = len(targets) + len(content.digests) + len(content.samples)
    found = [
        Suspicion(target.version, target.locale, finding)
        for target, streams in targets.items()
        for finding in screen(target.version.mechanism, streams, FALSE_ALARM_RATE / parts)
    ]
    for version, finding, day in stored_before(content):
        if finding.p_value <= FALSE_ALARM_RATE / parts:
            facts = {**finding.facts, "day": day.toordinal()}
            found.append(Suspicion(version, "", replace(finding, facts=facts)))
    return [each._replace(finding=_of_batch(each.finding, parts)) for each in found]


def _of_batch(finding: Finding, parts: int) -> Finding:
    return replace(finding, p_value=min(1.0, parts * finding.p_value))


def hold(
    batch: Batch, stored: Sequence[tuple[CollectedShard, str]], found: Sequence[Suspicion], since: datetime.date
) -> None:
    """Write the rows of a batch in quarantine: its shards in a table where no run looks, and the evidence."""
    QuarantinedShard.objects.bulk_create(
        QuarantinedShard(**shard.columns(name), batch=batch, held_since=since) for shard, name in stored
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
