"""Operations: checks of storage and database, and back-ups (`backup`)."""

from reports.operations.earlier import reason_to_refuse
from reports.operations.storage_checks import check_storage
