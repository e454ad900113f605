"""How long raw reports are kept: deleted when their time is over, or on demand; read-outs and histograms stay."""

from reports.clock import ClockDoubt, clock_doubt
from reports.retention.deleting import delete_all, delete_expired
from reports.retention.held import Held, Totals, expired, held, totals
from reports.retention.told import Deleted, deletions, how_many, in_words, may_be_told
from reports.retention.undecided import undecided

__all__ = [
    "ClockDoubt",
    "Deleted",
    "Held",
    "Totals",
    "clock_doubt",
    "delete_all",
    "delete_expired",
    "deletions",
    "expired",
    "held",
    "how_many",
    "in_words",
    "may_be_told",
    "totals",
    "undecided",
]
