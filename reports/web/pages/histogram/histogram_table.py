"""The table of a histogram: the same rows as the chart, with numbers as people read them."""

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from reports.formatting import small_percent, whole
from reports.results import HistogramRow, HistogramView, unpadded
from reports.web.pages.addresses import link
from reports.web.pages.element.element_links import element_address
from reports.web.pages.trend.trend_words import INTERVAL


@dataclass(frozen=True)
class Values:
    """What is estimated, with its interval in the same unit, which is that of the chart; and in the other unit."""

    value: str
    interval: str
    other: str


@dataclass(frozen=True)
class Line:
    rank: str
    tied: bool
    display: str
    name: str
    values: Values
    category: str
    # Of groups.
    members: str
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
    return Line(
        rank=whole(entry.rank),
        tied=row.tied,
        display=row.display,
        name=row.name,
        values=values_of(view, row),
        # A category's line would only repeat its name.
        category=entry.category if entry.category != entry.display else "",
        members=whole(entry.members),
        threshold=_in_unit_of_chart(view, row.threshold),
        link=row_link(view, row),
    )


def values_of(view: HistogramView, row: HistogramRow) -> Values:
    """The numbers of a row; of consistent values, which have no intervals, the interval is of the raw estimate."""
    ends = (_in_unit_of_chart(view, end) for end in (row.entry.adjusted_lower, row.entry.adjusted_upper))
    other = small_percent(row.share) if view.query.unit == "count" else whole(row.value)
    return Values(_in_unit_of_chart(view, row.value), INTERVAL % tuple(ends), other)


def _in_unit_of_chart(view: HistogramView, reports: float) -> str:
    if view.histogram is None or view.query.unit == "count":
        return whole(reports)
    return small_percent(reports / view.histogram.n)


def row_link(view: HistogramView, row: HistogramRow) -> str:
    """To the elements of a category, or to all about an element; empty for other groups."""
    if view.version is None:
        return ""
    if _is_category(view):
        return link(replace(view.query, group="", category=row.entry.category), view)
    return (
        ""
        if view.grouping is not None
        else element_address(view.use_case.slug, unpadded(view.version, row.entry.element), view.query.version)
    )


def _is_category(view: HistogramView) -> bool:
    return view.grouping is not None and view.grouping.name == "category"


def headings(view: HistogramView) -> list[Heading]:
    """Rank, estimate and share are one order; only the rank says so, lest a reader hear it three times."""
    by_rank, by_name = sorted_by(view, "rank"), sorted_by(view, "name")
    name = _("Element") if view.grouping is None else str(view.grouping.column)
    groups = [Heading(_("Elements"), "", css="number"), Heading(_("T"), "", css="number")]
    return [
        Heading(_("Rank"), by_rank, order_of(view, "rank"), "number"),
        Heading(name, by_name, order_of(view, "name")),
        *value_headings(view, by_rank),
        *(groups if view.grouping is not None else []),
    ]


def value_headings(view: HistogramView, by_rank: str) -> list[Heading]:
    """The headings of the columns of `Values`."""
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


def order_of(view: HistogramView, column: str) -> str:
    return {column: "ascending", f"-{column}": "descending"}.get(view.query.sort, "")


def sorted_by(view: HistogramView, column: str) -> str:
    turned = f"-{column}" if view.query.sort == column else column
    return link(replace(view.query, sort=turned), view)
