"""Histograms of days or weeks in a row: query, view and document."""

from reports.results.trend.elements import Element, elements_of, find_elements, rejected_in, suggested
from reports.results.trend.mover import Mover
from reports.results.trend.points import Point, PointState, Series, bounds_below, series_of
from reports.results.trend.query import DEFAULT_DAYS, EARLIEST, MOST_ELEMENTS, STEPS, TrendQuery
from reports.results.trend.search import search
from reports.results.trend.span import axis_begin, since_first_reports, span_of
from reports.results.trend.trend_document import (
    POINT_FIELDS,
    POINT_STATES,
    not_counted_elements,
    point_document,
    points_table,
    trend_document,
)
from reports.results.trend.trend_view import TrendView, annotations_of, trend_view
from reports.results.trend.trend_windows import Published, Slot, SlotState, newest_windows, slots_of

__all__ = [
    "DEFAULT_DAYS",
    "EARLIEST",
    "MOST_ELEMENTS",
    "POINT_FIELDS",
    "POINT_STATES",
    "STEPS",
    "Element",
    "Mover",
    "Point",
    "PointState",
    "Published",
    "Series",
    "Slot",
    "SlotState",
    "TrendQuery",
    "TrendView",
    "annotations_of",
    "axis_begin",
    "bounds_below",
    "elements_of",
    "find_elements",
    "newest_windows",
    "not_counted_elements",
    "point_document",
    "points_table",
    "rejected_in",
    "search",
    "series_of",
    "since_first_reports",
    "slots_of",
    "span_of",
    "suggested",
    "trend_document",
    "trend_view",
]
