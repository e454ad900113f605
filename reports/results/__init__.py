"""Results: what may be published, what is asked for, and one shape for page, export and API."""

from reports.results.document import csv_lines
from reports.results.groupings import GROUPINGS
from reports.results.publish import lock_publications, publish_window, publish_windows
from reports.results.query import HistogramQuery, QueryError
from reports.results.view import HistogramView, State, histogram_view

__all__ = [
    "GROUPINGS",
    "HistogramQuery",
    "HistogramView",
    "QueryError",
    "State",
    "csv_lines",
    "histogram_view",
    "lock_publications",
    "publish_window",
    "publish_windows",
]
