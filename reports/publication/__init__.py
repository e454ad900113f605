"""Release periods: what is shown of closed days, and from when on. The rule that protects small numbers: `cutting`.

Closed days of a version and locale are cut into periods of at least the use case's minimum of reports. Whatever is
shown is a function of sums over whole periods; what is in none of them has no part in any answer.
"""

from reports.publication.counts import NotCounted, WindowCounts, count_window, not_counted_in
from reports.publication.cutting import apply_minimum, cut
from reports.publication.locking import lock_publications, lock_publications_of
from reports.publication.revisions import counted_by_all, points_of, positions_in
from reports.publication.windows import (
    Days,
    Periods,
    Released,
    Window,
    gaps,
    made_of_periods,
    periods_of,
    periods_of_each,
    window_of,
)
