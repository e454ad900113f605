"""Results: what may be published, what is asked for, and one shape for page, export and API."""

from reports.results.discovered import refused_since
from reports.results.document import histogram_table
from reports.results.groupings import GROUPINGS, in_no_group
from reports.results.publish import lock_publications, publish_window, publish_windows
from reports.results.query import VALUES, WORDS, HistogramQuery, NotInVersion, QueryError
from reports.results.states import State
from reports.results.tables import csv_parts
from reports.results.versions import default_version
from reports.results.view import HistogramView, histogram_view

__all__ = [
    "GROUPINGS",
    "VALUES",
    "WORDS",
    "HistogramQuery",
    "HistogramView",
    "NotInVersion",
    "QueryError",
    "State",
    "csv_parts",
    "default_version",
    "histogram_table",
    "histogram_view",
    "in_no_group",
    "lock_publications",
    "publish_window",
    "publish_windows",
    "refused_since",
]
