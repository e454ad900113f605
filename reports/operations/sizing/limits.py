"""Limits that more machines do not raise, and how near a load is to each."""

from dataclasses import dataclass
from typing import Final

from reports.operations.sizing.load import SECONDS_A_DAY, Load
from reports.operations.sizing.needs import BUSY, PROGRAM_BYTES
from reports.operations.sizing.unit_costs import UnitCosts

# One server has the database. Of large machines, in round figures, which are assumptions and not measured here.
DATABASE_CORES: Final = 32
LOG_BYTES_A_SECOND: Final = 100e6
# Writes that one prefix of a large provider's bucket takes, by its documentation.
WRITES_A_SECOND: Final = 3_500
MEMORY: Final = 64e9


@dataclass(frozen=True)
class Limit:
    """A resource of which there is so much, and how much of it a load takes, between 0 and, beyond it, more than 1."""

    words: str
    taken: float
    remedy: str


def limits(load: Load, costs: UnitCosts) -> list[Limit]:
    """Return what could break, the first to break first."""
    day, peak = SECONDS_A_DAY, load.peak
    per_use_case = load.targets / load.use_cases * costs.counting_seconds
    found = [
        Limit(
            f"processors of the database, of {DATABASE_CORES} cores",
            load.database_seconds(costs) / day * peak / BUSY / DATABASE_CORES,
            "Send larger uploads; then give use cases to a second site",
        ),
        Limit(
            f"write-ahead log, of {LOG_BYTES_A_SECOND / 1e6:.0f} MB a second",
            load.log_bytes(costs) / day * peak / LOG_BYTES_A_SECOND,
            "Send larger uploads, and let a server collect for devices",
        ),
        Limit(
            f"objects written to the bucket, of {WRITES_A_SECOND:,} a second",
            load.objects_written / day * peak / WRITES_A_SECOND,
            "Send larger uploads, sorted by use case",
        ),
        Limit(
            f"publishing a use case, which one process does, of {load.hours:g} hours",
            per_use_case / (3600 * load.hours),
            "Divide the locales among more use cases",
        ),
        Limit(
            f"memory of a worker process, of {MEMORY / 1e9:.0f} GB",
            (PROGRAM_BYTES + load.counting.memory) / MEMORY,
            "Choose smaller parameters, or a mechanism with shorter reports",
        ),
    ]
    return sorted(found, key=lambda limit: -limit.taken)
