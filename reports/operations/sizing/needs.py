"""Resources that a load needs: processors, memory, storage, log, requests."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.operations.sizing.load import SECONDS_A_DAY, Load
from reports.operations.sizing.unit_costs import UnitCosts

# A processor that is busier answers late.
BUSY: Final = 0.7
# Resident memory of a worker process before it counts anything, as `ps` says it.
PROGRAM_BYTES: Final = 250e6
# Bytes of a support count in a file.
COUNT_BYTES: Final = 8


@dataclass(frozen=True)
class Need:
    """An amount with its unit. `name` is its key in JSON."""

    name: str
    words: str
    amount: float
    unit: str


def needs(load: Load, costs: UnitCosts, dollars_per_million_writes: float = 5.0) -> list[Need]:
    """Return what a site needs for a load.

    Parameters
    ----------
    load : Load
    costs : UnitCosts
    dollars_per_million_writes : float
        Of the bucket; large providers ask for about 5.

    Returns
    -------
    list of Need
        The most telling first.
    """
    counting = load.counting
    support_counts = load.targets * load.elements * COUNT_BYTES
    raw = ngettext("Raw reports, kept for %(days)s day", "Raw reports, kept for %(days)s days", load.retention_days)
    cores, web_seconds, database_seconds = _("cores"), load.web_seconds(costs), load.database_seconds(costs)
    return [
        Need("uploads", _("Uploads"), load.uploads / SECONDS_A_DAY, _("a second")),
        Need("documents", _("Documents of devices"), load.documents / SECONDS_A_DAY, _("a second")),
        Need("web_cores", _("Web servers"), _cores(web_seconds, SECONDS_A_DAY, load.peak), cores),
        Need("worker_cores", _("Workers"), _cores(load.worker_seconds(costs), 3600 * load.hours, 1.0), cores),
        Need("worker_memory", _("Memory of a worker process"), (PROGRAM_BYTES + counting.memory) / 1e9, _("GB")),
        Need("database_cores", _("Database"), _cores(database_seconds, SECONDS_A_DAY, load.peak), cores),
        Need("log", _("Write-ahead log"), load.log_bytes(costs) / 1e9, _("GB a day")),
        Need("tables", _("Growth of tables"), load.targets * costs.counting_table_bytes * 365 / 1e9, _("GB a year")),
        Need("raw", raw % {"days": load.retention_days}, load.raw_bytes / 1e12, _("TB")),
        Need("counts", _("Support counts, kept for good"), support_counts * 365 / 1e12, _("TB a year")),
        Need("objects", _("Objects written to the bucket"), load.objects_written / 1e6, _("million a day")),
        Need(
            "dollars",
            _("Requests that write them"),
            load.objects_written / 1e6 * dollars_per_million_writes,
            _("$ a day"),
        ),
    ]


def _cores(seconds: float, within: float, peak: float) -> float:
    return seconds / within * peak / BUSY
