"""Suspicious reports that were not decided about in time."""

import datetime

from reports.collection.holdings import in_quarantine
from reports.collection.retention.inventory import Held, by_day
from reports.models import QuarantinedShard, Version
from reports.models.uploads import utc_today


def undecided(version: Version, today: datetime.date | None = None, *, to_show: bool = False) -> list[Held]:
    """Return by day the reports that have been in quarantine for too long, except those whose retention is over too."""
    today = today or utc_today()
    found = version.quarantined_shards.filter(
        QuarantinedShard.undecided(today),
        batch__day__gte=version.use_case.first_day_kept(today),
        stream__in=version.mechanism.report_streams,
    )
    return by_day(version, in_quarantine(found, {version.pk: version}), to_show=to_show)
