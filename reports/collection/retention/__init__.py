"""Retention of raw reports: deleted when their time is over, or on demand; read-outs and histograms stay."""

from reports.clock import ClockDoubt, clock_doubt
from reports.collection.retention.deleting import delete_all, delete_expired
from reports.collection.retention.disclosure import Deleted, deletions, how_many, in_words, may_be_told
from reports.collection.retention.inventory import Held, Totals, expired, inventory, totals
from reports.collection.retention.undecided import undecided

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
    "how_many",
    "in_words",
    "inventory",
    "may_be_told",
    "totals",
    "undecided",
]
