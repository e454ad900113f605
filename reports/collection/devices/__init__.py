"""Single devices: their configuration, and their records, taken in, mixed, and made a batch once they are many."""

from reports.collection.devices.configuration import published
from reports.collection.devices.device_documents import Answer, Key, take_in
from reports.collection.devices.draining import drain, drop_overdue, forget_old_keys
from reports.collection.devices.mixing import forget_the_unmixed, mix
from reports.collection.devices.rate import waiting_time
from reports.collection.devices.waiting_records import enough_days, has_enough
