"""Operations: checks of storage and database, and back-ups (`backup`)."""

from reports.operations.earlier import refuse_earlier_database
from reports.operations.storage_checks import check_storage, look_at_storage

__all__ = ["check_storage", "look_at_storage", "refuse_earlier_database"]
