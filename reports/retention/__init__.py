"""Retention of raw reports: deleted when their time is over, or on demand; read-outs and histograms stay."""

from reports.clock import ClockDoubt, clock_doubt
from reports.retention.deleting import delete_all, delete_expired
from reports.retention.disclosure import Deleted, deletions, how_many, in_words, may_be_disclosed, never_counted
from reports.retention.inventory import DayHoldings, Totals, expired, inventory, totals, undecided
