"""Results: what may be published, what is asked for, and one shape for page, export and API."""

from reports.results.discovered import refused_since
from reports.results.document import csv_lines, flat
from reports.results.groupings import GROUPINGS, in_no_group
from reports.results.publish import lock_publications, publish_window, publish_windows
from reports.results.query import VALUES, WORDS, HistogramQuery, NotInVersion, QueryError
from reports.results.states import State
from reports.results.view import HistogramView, default_version, histogram_view

__all__ = [
    "GROUPINGS",
    "VALUES",
    "WORDS",
    "HistogramQuery",
    "HistogramView",
    "NotInVersion",
    "QueryError",
    "State",
    "csv_lines",
    "default_version",
    "flat",
    "histogram_view",
    "in_no_group",
    "lock_publications",
    "publish_window",
    "publish_windows",
    "refused_since",
]
