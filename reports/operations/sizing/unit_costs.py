"""Unit costs as `make benchmark-scale` measured them on one core: seconds of processors, bytes, statements."""

import datetime
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

UNIT_COSTS: Final = Path(__file__).with_name("unit_costs.json")


@dataclass(frozen=True)
class UnitCosts:
    """Costs of one of each.

    Attributes
    ----------
    measured_on : date
    yardstick_seconds : float
        Sorting a million numbers, by which machines are compared.
    upload_* : float
        An upload of 1,000 records of one target: here, in the database, in its write-ahead log, statements.
    target_seconds : float
        Each further target in an upload.
    document_* : float
        A document of a single device, from its arrival until it is in an object.
    closing_* : float
        An upload of 1,000 records, when its day is closed.
    counting_* : float
        A target and day that is counted and published, beside looking its elements up.
    """

    measured_on: datetime.date
    yardstick_seconds: float
    upload_seconds: float
    upload_database_seconds: float
    upload_log_bytes: float
    upload_statements: float
    target_seconds: float
    document_seconds: float
    document_database_seconds: float
    document_log_bytes: float
    closing_seconds: float
    closing_database_seconds: float
    closing_log_bytes: float
    counting_seconds: float
    counting_database_seconds: float
    counting_log_bytes: float
    counting_table_bytes: float


@cache
def kept_costs() -> UnitCosts:
    """Return the costs that were measured last."""
    found = json.loads(UNIT_COSTS.read_text(encoding="utf-8"))
    return UnitCosts(**found | {"measured_on": datetime.date.fromisoformat(found["measured_on"])})
