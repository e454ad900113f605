"""Histograms of days or weeks in a row: query, view and document."""

from reports.results.trend.choice import find_elements, search, suggested
from reports.results.trend.elements import Element, elements_of
from reports.results.trend.mover import Change, Changes, Mover
from reports.results.trend.points import Point, PointState, Series, bounds_below, series_of
from reports.results.trend.query import DEFAULT_DAYS, EARLIEST, FACETS, MOST_ELEMENTS, MOST_WINDOWS, STEPS, TrendQuery
from reports.results.trend.recent import Recent, recent
from reports.results.trend.trend_document import (
    POINT_FIELDS,
    POINT_STATES,
    not_counted_elements,
    point_document,
    points_table,
    trend_document,
)
from reports.results.trend.trend_kinds import TRENDS
from reports.results.trend.trend_view import TrendView, annotations_of, trend_view
from reports.results.trend.trend_windows import Published, Slot, SlotState
from reports.results.trend.versions_beside import newest_of, newest_of_each, shown_in, slots_of, span_of
