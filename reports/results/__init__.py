"""Results: what may be published, what is asked for, and one shape for page, export and API."""

from reports.results.document import csv_lines
from reports.results.groupings import GROUPINGS, in_no_group
from reports.results.publish import lock_publications, publish_window, publish_windows
from reports.results.query import HistogramQuery, QueryError
from reports.results.view import HistogramView, State, default_version, histogram_view

__all__ = [
    "GROUPINGS",
    "HistogramQuery",
    "HistogramView",
    "QueryError",
    "State",
    "csv_lines",
    "default_version",
    "histogram_view",
    "in_no_group",
    "lock_publications",
    "publish_window",
    "publish_windows",
]
