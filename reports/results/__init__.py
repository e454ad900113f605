"""Results: what is asked for, and one shape of it for page, export and API."""

from reports.results.availability import State
from reports.results.groupings import GROUPINGS, in_no_group
from reports.results.histogram_document import histogram_table
from reports.results.histogram_view import HistogramView, histogram_view
from reports.results.histograms import drop_histograms, histogram_of, histograms_of
from reports.results.query import VALUES, WORDS, HistogramQuery, NotInVersion, QueryError
from reports.results.tables import csv_parts
from reports.results.versions import default_version

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
    "drop_histograms",
    "histogram_of",
    "histogram_table",
    "histogram_view",
    "histograms_of",
    "in_no_group",
]
