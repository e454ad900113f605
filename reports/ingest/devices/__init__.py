"""Records of single devices: taken in one document at a time, mixed, and handed on as a batch once they are many."""

from reports.devices_waiting import enough_days, has_enough
from reports.ingest.devices.definitions import forget_definitions
from reports.ingest.devices.documents import Answer, Key, take_in
from reports.ingest.devices.draining import drain, drop_overdue, forget_old_keys
from reports.ingest.devices.mixing import forget_the_unmixed, mix
from reports.ingest.devices.rate import waiting_time

__all__ = [
    "Answer",
    "Key",
    "drain",
    "drop_overdue",
    "enough_days",
    "forget_definitions",
    "forget_old_keys",
    "forget_the_unmixed",
    "has_enough",
    "mix",
    "take_in",
    "waiting_time",
]
