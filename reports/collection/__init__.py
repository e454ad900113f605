"""One life of raw reports: taken in (`ingest`, `devices`), closed, and deleted (`retention`); batches that wait."""

from reports.collection.closing import seal_days
from reports.collection.holdings import Holding, in_shards, of_devices
from reports.collection.quarantine import (
    NotQuarantined,
    NotWithdrawable,
    TooLate,
    release,
    waited_too_long,
    withdraw,
)

__all__ = [
    "Holding",
    "NotQuarantined",
    "NotWithdrawable",
    "TooLate",
    "in_shards",
    "of_devices",
    "release",
    "seal_days",
    "waited_too_long",
    "withdraw",
]
