"""Days with reports to aggregate, or what is missing."""

import datetime

from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.models import Version
from reports.models.shards import in_window


class NothingToAggregate(Exception):
    """There is nothing to read out; the message says what is missing and what to do."""

    @classmethod
    def within(cls, version: Version, first: datetime.date | None, last: datetime.date | None) -> "NothingToAggregate":
        """Say what a window lacks: reports, or only a decision about those in quarantine."""
        waiting = quarantined(version, first, last)
        if not waiting:
            return cls(_("There are no reports in this window. Upload some first."))
        words = ngettext(
            "There are no reports in this window that may be counted, but %(count)d batch waits in quarantine: release"
            " it first.",
            "There are no reports in this window that may be counted, but %(count)d batches wait in quarantine: release"
            " them first.",
            waiting,
        )
        return cls(words % {"count": waiting})


def quarantined(version: Version, first: datetime.date | None = None, last: datetime.date | None = None) -> int:
    """Count the batches in quarantine that have reports for a version and window."""
    shards = version.quarantined_shards.annotate(day=F("batch__day")).filter(in_window(first, last))
    return shards.order_by().values("batch").distinct().count()


def days_with_reports(
    version: Version, first: datetime.date | None = None, last: datetime.date | None = None
) -> set[datetime.date]:
    window = in_window(first, last)
    rows = (version.shards.filter(window), version.read_outs.filter(window))
    return {day for found in rows for day in found.values_list("day", flat=True)}
