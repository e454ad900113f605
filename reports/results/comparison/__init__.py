"""Two histograms against each other: query, view and document."""

from reports.results.comparison.comparison_document import ROW_FIELDS, comparison_table
from reports.results.comparison.comparison_rows import (
    FALSE_DISCOVERY_RATE,
    ComparisonRow,
    Share,
    Verdict,
    number_or_none,
    rows_at,
)
from reports.results.comparison.comparison_view import ComparisonView, comparison_view
from reports.results.comparison.discovery_comparison import earlier_list
from reports.results.comparison.query import COMPARISON_SORTS, OTHER, ComparisonQuery
from reports.results.comparison.sides import Side, days_before, default_locales
