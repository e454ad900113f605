"""Back-ups: all that an installation cannot make again, in one archive, and back from it into an empty one."""

from reports.operations.backup.manifest import BackupError
from reports.operations.backup.restoring import restore
from reports.operations.backup.writing import back_up
