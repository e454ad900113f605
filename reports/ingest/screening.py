"""Is a batch what honest devices would have sent? Asked of every batch, whichever door it came through."""

import datetime
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aggregation.screening import FALSE_ALARM_RATE, Finding, screen
from reports.ingest.collector import CollectedShard
from reports.ingest.documents import Target
from reports.models import Batch, QuarantinedShard
from reports.models import Finding as StoredFinding


class Suspicion(NamedTuple):
    """What was found in the records of one version and locale; its p-value is about the whole batch."""

    target: Target
    finding: Finding


def suspicions(shards: Iterable[CollectedShard]) -> list[Suspicion]:
    """What honest devices would not have sent, among sorted files that are not stored yet.

    Of a million honest batches one has any on average, whatever the devices saw: see `aggregation.screening`.
    """
    targets: dict[Target, dict[str, NDArray[Any]]] = {}
    for shard in shards:
        targets.setdefault(shard.target, {})[shard.stream] = np.load(shard.path, mmap_mode="r", allow_pickle=False)
    return [
        Suspicion(target, finding)
        for target, streams in targets.items()
        for finding in screen(target.version.mechanism, streams, FALSE_ALARM_RATE / len(targets))
    ]


def hold(
    batch: Batch, stored: Sequence[tuple[CollectedShard, str]], found: Sequence[Suspicion], since: datetime.date
) -> None:
    """Write the rows of a batch in quarantine: its shards in a table where no run looks, and the evidence."""
    QuarantinedShard.objects.bulk_create(
        QuarantinedShard(
            batch=batch,
            version=shard.target.version,
            locale=shard.target.locale,
            stream=shard.stream,
            size=shard.size,
            file_name=name,
            held_since=since,
        )
        for shard, name in stored
    )
    targets = len({shard.target for shard, _name in stored})
    StoredFinding.objects.bulk_create(
        StoredFinding(
            batch=batch,
            version=target.version,
            locale=target.locale,
            stream=finding.stream,
            test=finding.test,
            p_value=min(1.0, targets * finding.p_value),
            facts=dict(finding.facts),
        )
        for target, finding in found
    )
