"""Reasons why jobs failed or wait: stored in English, shown in the reader's language."""

import re
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from reports.models.training_refusals import OF_PARAMETERS, OF_ROLES

FILE_MISSING: Final = gettext_noop("A file of reports is missing from the storage. Restore it, then retry.")
WORKERS_LOST: Final = gettext_noop(
    "Workers end in the middle of a part, probably out of memory. Give them more, then retry."
)
STORAGE_BROKEN: Final = gettext_noop("The storage could not be read or written (%(error)s). Mend it, then retry.")
# Why jobs wait, to go on by themselves.
STORAGE_AWAITED: Final = gettext_noop("Waiting for the storage, which cannot be read or written now (%(error)s).")
DATABASE_AWAITED: Final = gettext_noop("Waiting for the database, which did not answer.")
UNEXPECTED: Final = gettext_noop("An unexpected error (%(error)s); the worker's log has the details.")
NO_ALPHABET: Final = gettext_noop(
    "The version has no alphabet for the locale %(locale)s. Define a new version that has one."
)
DELETED_ON_DEMAND: Final = gettext_noop(
    "The raw reports of %(day)s, which it was counting, were deleted on demand. A new run counts what is left."
)
RETENTION_OVER: Final = gettext_noop(
    "The raw reports of %(day)s, which it was counting, were deleted: their retention is over."
    " A new run counts what is left."
)
SPENT: Final = gettext_noop("Its worker ended in the middle of it, and what it let out is spent. Order another run.")
PROCESSES_AWAITED: Final = gettext_noop("Waiting for the trusted processes of training, which do not answer.")
DEVICES_AWAITED: Final = gettext_noop(
    "Round %(round)s of %(rounds)s is open: %(relayed)s of %(expected)s messages of devices have come."
)
METRICS_AWAITED: Final = gettext_noop(
    "Evaluation %(round)s of %(rounds)s is open: %(relayed)s of %(expected)s messages of devices have come."
)
NOTHING_RELEASED: Final = gettext_noop("All rounds were lost with the process that added them up: nothing was let out.")
PACKAGE_MISSING: Final = gettext_noop(
    "The package %(name)s, which this needs, is not installed where workers run. Install it, then start it again."
)
CANCELLED: Final = gettext_noop("It was cancelled. What is done is kept.")

_ALL: Final = (
    FILE_MISSING,
    WORKERS_LOST,
    STORAGE_BROKEN,
    STORAGE_AWAITED,
    DATABASE_AWAITED,
    UNEXPECTED,
    NO_ALPHABET,
    DELETED_ON_DEMAND,
    RETENTION_OVER,
    SPENT,
    PROCESSES_AWAITED,
    DEVICES_AWAITED,
    METRICS_AWAITED,
    NOTHING_RELEASED,
    PACKAGE_MISSING,
    CANCELLED,
    *OF_ROLES,
    *OF_PARAMETERS,
)
_PATTERNS: Final = {
    text: re.compile(re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.*)", re.escape(text)), re.DOTALL) for text in _ALL
}


def in_words(kept: str) -> str:
    """Translate a reason, stored or of the trainer, into the active language; unknown texts stay as they are."""
    for text, pattern in _PATTERNS.items():
        if found := pattern.fullmatch(kept):
            return _(text) % found.groupdict()
    return kept
