"""Resources that a load needs: processors, memory, storage, log, requests."""

from dataclasses import dataclass
from typing import Final

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
    return [
        Need("uploads", "Uploads", load.uploads / SECONDS_A_DAY, "a second"),
        Need("documents", "Documents of devices", load.documents / SECONDS_A_DAY, "a second"),
        Need("web_cores", "Web servers", _cores(load.web_seconds(costs), SECONDS_A_DAY, load.peak), "cores"),
        Need("worker_cores", "Workers", _cores(load.worker_seconds(costs), 3600 * load.hours, 1.0), "cores"),
        Need("worker_memory", "Memory of a worker process", (PROGRAM_BYTES + counting.memory) / 1e9, "GB"),
        Need(
            "database_cores", "Database", _cores(load.database_seconds(costs), SECONDS_A_DAY, load.peak), "cores"
        ),
        Need("log", "Write-ahead log", load.log_bytes(costs) / 1e9, "GB a day"),
        Need("tables", "Growth of tables", load.targets * costs.counting_table_bytes * 365 / 1e9, "GB a year"),
        Need("raw", f"Raw reports, kept {load.retention_days} days", load.raw_bytes / 1e12, "TB"),
        Need("counts", "Support counts, kept for good", support_counts * 365 / 1e12, "TB a year"),
        Need("objects", "Objects written to the bucket", load.objects_written / 1e6, "million a day"),
        Need(
            "dollars", "Requests that write them", load.objects_written / 1e6 * dollars_per_million_writes, "$ a day"
        ),
    ]  # fmt: skip


def _cores(seconds: float, within: float, peak: float) -> float:
    return seconds / within * peak / BUSY
