"""Take the patience of a worker that includes this: faults of minutes are over in seconds, and beat comes at once."""

import datetime

from ldpsite.celery import app
from reports.jobs import leases

for _each in ("take up stale parts", "count finished days", "seal finished days", "mix records of devices"):
    app.conf.beat_schedule[_each]["schedule"] = 3.0
leases.LEASE = datetime.timedelta(seconds=9)
