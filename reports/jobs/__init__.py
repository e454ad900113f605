"""Jobs of any kind: planned once, done part by part by any number of workers, and finished once.

The package knows no kind of job. A new kind needs

- two models: one of `reports.models.Job`, with the names of its stages and steps, and one of
  `reports.models.LeasedPart`, with a foreign key to it that is related as `parts`;
- a `JobType` of these models, given to `register` in the `__init__` of its package; the package is in the list of
  `ldpsite/celery.py`, so that workers know it;
- calls of `enqueue` where a job is ordered, of `hand_in` where a part is done, of `end` where the job is.

It gets leases that a heartbeat renews, three tries for each part that raises an error, waiting for storage and database
while they are away, and for whatever else a part says by `Later`, progress by stage, `retry`, which keeps what is done,
`cancel`, and the sweep. What a job shall keep of its parts it stores in rows of its own before `end`, which empties
them. Reasons of failure that readers shall see in their language are in `reports/models/failures.py`. State is in the
rows: messages may come twice or never.
"""

from reports.jobs.ending import cancel, drop_parts, end, hold
from reports.jobs.failing import Later, PermanentFailure, retry
from reports.jobs.host_heartbeat import SILENCE, free_disk_share, is_nearly_full, is_silent, worker_hosts
from reports.jobs.job_types import JOB_TYPES, JobType, Share, register
from reports.jobs.leases import hand_in
from reports.jobs.progress import Progress, progress_by_job, progress_of
from reports.jobs.wake_ups import call_worker, enqueue
from reports.jobs.worker_heartbeat import last_heartbeat
from reports.jobs.working import finish_inline, take_up
