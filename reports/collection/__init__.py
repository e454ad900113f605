"""One life of raw reports until they are deleted: taken in (`ingest`, `devices`), and closed; batches that wait."""

from reports.collection.closing import seal_days
from reports.collection.holdings import Holding, in_quarantine, in_shards, of_devices
from reports.collection.quarantine import (
    NotQuarantined,
    NotWithdrawable,
    TooLate,
    mark_withdrawn,
    release,
    waited_too_long,
    withdraw,
)
