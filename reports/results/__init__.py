"""Results: what is asked for, and one shape of it for page, export and API."""

from reports.results.answers import histogram_view
from reports.results.availability import State
from reports.results.caching import cached, cached_each, place_of
from reports.results.counted import LocaleWindow, published_windows
from reports.results.counted_elsewhere import CountedBy
from reports.results.dictionary_search import Beside, beside_rows
from reports.results.dictionary_texts import Grade, search_lines
from reports.results.element_search import Standing, search_elements
from reports.results.estimating import dictionary_estimator, window_estimator
from reports.results.groupings import GROUPINGS, Group, in_no_group
from reports.results.histogram_document import ENTRY_FIELDS, WORD_FIELDS, histogram_table, other_field
from reports.results.histogram_rows import HistogramRow
from reports.results.histogram_view import HistogramView
from reports.results.histograms import drop_histograms, entry_of, histograms_of, ranked
from reports.results.latest import latest
from reports.results.latest_result import TREND_DAYS, Latest, Leader, WindowSize
from reports.results.names import colourful, element_name, folded, told_apart, unpadded
from reports.results.provenance import CONFIDENCE, page_address
from reports.results.query import (
    HISTOGRAM_SORTS,
    MOST_DAYS,
    SCALES,
    UNITS,
    USUAL_DAYS,
    VALUES,
    WORDS,
    HistogramQuery,
    NotInVersion,
    QueryError,
    date_parameter,
    number_parameter,
    read_iso_date,
)
from reports.results.shown_windows import ShownLocale, shown_locales, shown_windows
from reports.results.tables import Table, can_write_parquet, csv_parts, parquet
from reports.results.versions import counts_alike, default_version, known_versions, with_versions
from reports.results.warming import warm
from reports.results.word_lists import Word, is_first_list
