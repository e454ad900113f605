"""Results: what is asked for, and one shape of it for page, export and API."""

from reports.results.answers import histogram_view
from reports.results.availability import State
from reports.results.caching import cached, cached_each
from reports.results.dictionary_search import Beside, beside_rows
from reports.results.discovered import days_to_search, is_searched, outcomes, searched_window
from reports.results.found_words import FoundWords, HowFound
from reports.results.groupings import GROUPINGS, in_no_group
from reports.results.histogram_document import ENTRY_FIELDS, WORD_FIELDS, histogram_table
from reports.results.histogram_rows import HistogramRow
from reports.results.histogram_view import HistogramView
from reports.results.histograms import drop_histograms, histogram_of, histograms_of
from reports.results.latest import latest
from reports.results.latest_result import TREND_DAYS, Latest, Leader
from reports.results.names import colourful, element_name, folded, unpadded
from reports.results.parquet import can_write_parquet, parquet
from reports.results.provenance import CONFIDENCE, page_address
from reports.results.published_windows import LocaleWindow, published_windows
from reports.results.query import (
    HISTOGRAM_SORTS,
    MOST_DAYS,
    SCALES,
    UNITS,
    VALUES,
    WORDS,
    HistogramQuery,
    NotInVersion,
    QueryError,
    date_parameter,
    read_iso_date,
)
from reports.results.tables import Table, csv_parts
from reports.results.versions import default_version, known_versions, with_versions
from reports.results.warming import warm
from reports.results.word_lists import Word, is_first_list
from reports.results.word_publication import publish_words

__all__ = [
    "CONFIDENCE",
    "ENTRY_FIELDS",
    "GROUPINGS",
    "HISTOGRAM_SORTS",
    "MOST_DAYS",
    "SCALES",
    "TREND_DAYS",
    "UNITS",
    "VALUES",
    "WORDS",
    "WORD_FIELDS",
    "Beside",
    "FoundWords",
    "HistogramQuery",
    "HistogramRow",
    "HistogramView",
    "HowFound",
    "Latest",
    "Leader",
    "LocaleWindow",
    "NotInVersion",
    "QueryError",
    "State",
    "Table",
    "Word",
    "beside_rows",
    "cached",
    "cached_each",
    "can_write_parquet",
    "colourful",
    "csv_parts",
    "date_parameter",
    "days_to_search",
    "default_version",
    "drop_histograms",
    "element_name",
    "folded",
    "histogram_of",
    "histogram_table",
    "histogram_view",
    "histograms_of",
    "in_no_group",
    "is_first_list",
    "is_searched",
    "known_versions",
    "latest",
    "outcomes",
    "page_address",
    "parquet",
    "publish_words",
    "published_windows",
    "read_iso_date",
    "searched_window",
    "unpadded",
    "warm",
    "with_versions",
]
