"""The table of a histogram: the same rows as the chart, with numbers as people read them."""

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from reports.formatting import small_percent, whole
from reports.results import HistogramRow, HistogramView, unpadded
from reports.web.pages.addresses import link
from reports.web.pages.element.element_links import element_address
from reports.web.pages.trend.trend_words import INTERVAL


@dataclass(frozen=True)
class Line:
    """A row with its numbers: the estimate and its interval in the unit of the chart, and the estimate in the other.

    Of consistent values, which have no intervals, the interval is of the raw estimate.
    """

    row: HistogramRow
    value: str
    interval: str
    other: str
    threshold: str
    link: str


@dataclass(frozen=True)
class Heading:
    """A column's heading; its link sorts by it, or turns the order round."""

    label: str
    link: str
    # The value of `aria-sort`, where the table is sorted by this column.
    order: str = ""
    css: str = ""


def lines(view: HistogramView) -> list[Line]:
    return [_line(view, row) for row in view.rows]


def _line(view: HistogramView, row: HistogramRow) -> Line:
    entry = row.entry
    ends = (_in_unit_of_chart(view, end) for end in (entry.adjusted_lower, entry.adjusted_upper))
    return Line(
        row=row,
        value=_in_unit_of_chart(view, row.value),
        interval=INTERVAL % tuple(ends),
        other=small_percent(row.share) if view.query.unit == "count" else whole(row.value),
        threshold=_in_unit_of_chart(view, row.threshold),
        link=row_link(view, row),
    )


def _in_unit_of_chart(view: HistogramView, reports: float) -> str:
    if view.histogram is None or view.query.unit == "count":
        return whole(reports)
    return small_percent(reports / view.histogram.n)


def row_link(view: HistogramView, row: HistogramRow) -> str:
    """To the elements of a category, or to all about an element; empty for other groups."""
    if view.version is None:
        return ""
    if view.grouping is None:
        return element_address(view.use_case.slug, unpadded(view.version, row.entry.element), view.query.version)
    return (
        link(replace(view.query, group="", category=row.entry.category), view) if view.query.group == "category" else ""
    )


def headings(view: HistogramView) -> list[Heading]:
    """Rank, estimate and share are one order; only the rank says so, lest a reader hear it three times."""
    by_rank = _sorted_by(view, "rank")
    finds_words = view.discovery is not None
    element = _("Word") if finds_words else _("Element")
    found = [
        Heading(_("Rank"), by_rank, _order_of(view, "rank"), "number"),
        Heading(
            element if view.grouping is None else str(view.grouping.column),
            _sorted_by(view, "name"),
            _order_of(view, "name"),
        ),
        *value_headings(view, by_rank),
    ]
    if view.grouping is not None:
        found += [Heading(_("Elements"), "", css="number"), Heading(_("T"), "", css="number")]
    if finds_words:
        # The newest first: that is what one looks for.
        newest = "first-seen" if view.query.sort == "-first-seen" else "-first-seen"
        by_day = link(replace(view.query, sort=newest), view)
        found += [Heading(_("First seen"), by_day, _order_of(view, "first-seen")), Heading(_("Last seen"), "")]
    return found


def value_headings(view: HistogramView, by_rank: str) -> list[Heading]:
    """The headings of estimate and interval."""
    if view.query.values:
        estimate, interval = _("Consistent estimate"), _("95 %% interval, raw") % {}
    else:
        estimate = _("Estimate")
        # xgettext:no-python-format
        interval = _("95 % interval")
    value, other = (estimate, _("Share")) if view.query.unit == "count" else (_("Share"), estimate)
    return [
        Heading(value, by_rank, css="number"),
        Heading(interval, "", css="number"),
        Heading(other, by_rank, css="number"),
    ]


def _order_of(view: HistogramView, column: str) -> str:
    return {column: "ascending", f"-{column}": "descending"}.get(view.query.sort, "")


def _sorted_by(view: HistogramView, column: str) -> str:
    turned = f"-{column}" if view.query.sort == column else column
    return link(replace(view.query, sort=turned), view)
