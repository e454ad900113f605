"""The table of a histogram: its columns and lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from reports.formatting import day_range, percent, small_percent, whole
from reports.models import Histogram
from reports.results import HistogramRow, HistogramView, unpadded
from reports.results.changes import Change, ChangeRow, SinceBefore, since_before
from reports.results.trend import Recent, recent
from reports.web.pages.addresses import element_address, link
from reports.web.pages.compare.comparison_numbers import difference, digits_for
from reports.web.pages.kinds import PageKind
from reports.web.pages.tables import Heading, number
from reports.web.pages.trend.trend_words import INTERVAL

# Size of the line of the last windows, in the units of its drawing.
SPARK = (72, 20)
_WIDEST_COLUMN = 8


@dataclass(frozen=True)
class Changed:
    """A change since the window before, in percentage points: a sign, the number, and what both say in words."""

    kind: str
    sign: str
    points: str
    words: str


@dataclass(frozen=True)
class Bar:
    """A bar with its interval, in percent of the room that there is."""

    share: float
    lower: float
    upper: float

    @property
    def style(self) -> str:
        return f"--share: {self.share}%; --lower: {self.lower}%; --upper: {self.upper}%"


@dataclass(frozen=True)
class Line:
    """A row with its numbers: the estimate and its interval in the unit of the chart.

    Of consistent values, which have no intervals, the interval is of the raw estimate.
    """

    row: HistogramRow
    value: str
    interval: str
    bar: Bar
    # The share, beside counts.
    share: str
    # Set for groups, each of which has its own.
    threshold: str
    changed: Changed | None
    # The path of a line through the last windows.
    spark: str
    link: str


@dataclass(frozen=True)
class HistogramTable:
    """Columns and lines, and what the columns of changes and of the last windows are about, in words."""

    headings: list[Heading]
    lines: list[Line]
    has_changes: bool
    # Width of the columns of the last windows; 0 without these.
    spark_width: float
    # The days of the window before.
    before: str
    # For words: whether days and decisions are shown, which they are not to strangers.
    has_days: bool

    @property
    def columns_after(self) -> int:
        """Number of columns behind the interval."""
        return len(self.headings) - 4


def shown_table(view: HistogramView, histogram: Histogram, kind: PageKind, *, linked: bool) -> HistogramTable:
    """Shape the table; embedded pages have no links, changes and other windows: their readers may see but one."""
    before: SinceBefore | None = None
    last = Recent(1, {})
    if linked and view.rows and view.grouping is None:
        before = since_before(view)
        last = recent(view, histogram, [row.entry.element for row in view.rows])
    sparks = _sparks(last.shares)
    furthest = max((max(row.entry.adjusted_upper, row.value) for row in view.rows), default=1.0)
    found = [_line(view, histogram, row, furthest, before, sparks, linked=linked) for row in view.rows]
    has_sparks = any(line.spark for line in found)
    return HistogramTable(
        headings=_headings(view, kind, before, last if has_sparks else None, linked=linked),
        lines=found,
        has_changes=before is not None,
        spark_width=round(0.7 * _column(len(next(iter(last.shares.values())))), 1) if has_sparks else 0,
        before=day_range(*before.days) if before is not None else "",
        has_days=linked and not kind.counts_dictionary,
    )


def _line(
    view: HistogramView,
    histogram: Histogram,
    row: HistogramRow,
    furthest: float,
    before: SinceBefore | None,
    sparks: Mapping[str, str],
    *,
    linked: bool,
) -> Line:
    entry = row.entry
    lower, upper = max(entry.adjusted_lower, 0.0), entry.adjusted_upper
    return Line(
        row=row,
        value=in_unit_of_chart(view, row.value),
        interval=interval(view, entry.adjusted_lower, upper),
        bar=Bar(*(round(100 * end / furthest, 2) for end in (row.value, lower, upper))),
        share=small_percent(row.share) if view.query.unit == "count" else "",
        threshold=in_unit_of_chart(view, row.threshold) if view.grouping is not None else "",
        changed=_changed(histogram, before.changes.get(entry.element)) if before is not None else None,
        spark=sparks.get(entry.element, ""),
        link=row_link(view, row) if linked else "",
    )


def in_unit_of_chart(view: HistogramView, reports: float) -> str:
    if view.histogram is None or view.query.unit == "count":
        return whole(reports)
    return small_percent(reports / view.histogram.n)


def interval(view: HistogramView, lower: float, upper: float) -> str:
    """The two ends; of shares the unit stands behind the second alone."""
    first, second = (in_unit_of_chart(view, end) for end in (lower, upper))
    unit = percent(0, 0).replace("0", "")
    return INTERVAL % (first.replace(unit, ""), second)


# --- Changes, and the last windows ---


_SIGNS = {Change.UP: "▲", Change.NEW: "▲", Change.DOWN: "▼", Change.GONE: "▼", Change.UNCERTAIN: "≈"}


def _changed(histogram: Histogram, found: ChangeRow | None) -> Changed | None:
    if found is None:
        return None
    words = {
        Change.UP: _("clearly more than before"),
        Change.DOWN: _("clearly less than before"),
        Change.NEW: _("new: below the threshold before, and clearly more now"),
        Change.GONE: "",
        Change.UNCERTAIN: _("no clear change"),
    }
    points = difference(found.row, digits_for((histogram.threshold or 0.0) / histogram.n))
    if found.change == Change.NEW or found.row.second.value is None:
        points = _("new") if found.is_clear else "–"
    sign = _SIGNS[found.change] if points != "–" else ""
    return Changed(found.change.value, sign, points, words[found.change])


def _window(kind: PageKind, last: Recent) -> str:
    """Say what a column of the trend is of; lists of words are of days that runs chose."""
    if not kind.counts_dictionary:
        return _("by list")
    return _("by day") if last.step == 1 else _("by week")


def _sparks(found: Mapping[str, Sequence[float | None]]) -> dict[str, str]:
    """A path of columns for each element, from zero to its largest share, with gaps where it has none."""
    width, height = SPARK
    paths = {}
    for element, shares in found.items():
        known = [share for share in shares if share is not None]
        if len(known) > 1:
            scale, step = height / max(*known, 1e-12), _column(len(shares))
            paths[element] = "".join(
                f"M{width - (len(shares) - place - 0.5) * step:.1f} {height}V{height - max(share, 0) * scale:.1f}"
                for place, share in enumerate(shares)
                if share is not None
            )
    return paths


def _column(windows: int) -> float:
    """The width of a column with what is between it and the next."""
    return min(SPARK[0] / windows, _WIDEST_COLUMN)


def row_link(view: HistogramView, row: HistogramRow) -> str:
    """To the elements of a category, or to all about an element; empty for other groups."""
    if view.version is None:
        return ""
    if view.grouping is None:
        return element_address(view.use_case.slug, unpadded(view.version, row.entry.element), view.query.version)
    return (
        link(replace(view.query, group="", category=row.entry.category), view) if view.query.group == "category" else ""
    )


def _headings(
    view: HistogramView, kind: PageKind, before: SinceBefore | None, last: Recent | None, *, linked: bool
) -> list[Heading]:
    """Rank, estimate and share are one order; only the rank says so, lest a reader hear it three times."""

    def sorted_by(column: str) -> tuple[str, str]:
        order = {column: "ascending", f"-{column}": "descending"}.get(view.query.sort, "")
        turned = f"-{column}" if view.query.sort == column else column
        return link(replace(view.query, sort=turned), view), order

    estimate, share = _("Estimate"), _("Share")
    # xgettext:no-python-format
    interval = _("95 % interval")
    if view.query.values:
        estimate, interval = _("Consistent estimate"), _("95 %% interval, raw") % {}
    counts = view.query.unit == "count"
    by_rank, order = sorted_by("rank")
    found = [
        Heading(_("Rank"), by_rank, order, "number"),
        Heading(str(view.grouping.column if view.grouping is not None else kind.element), *sorted_by("name")),
        Heading(estimate if counts else share, by_rank, css="number"),
        number(interval),
        *([Heading(share, by_rank, css="number")] if counts else []),
        *([number(_("Elements")), number(_("T"))] if view.grouping is not None else []),
        *([number(pgettext("of a share", "Change"))] if before is not None else []),
        *([Heading(_("Trend"), css="spark", note=_window(kind, last))] if last is not None else []),
    ]
    if linked:
        return [*found, *kind.more_headings(view)]
    return [Heading(each.label, css=each.css) for each in found]
