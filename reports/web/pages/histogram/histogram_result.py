"""A histogram on its page and where it is embedded: facts, chart and table, or why no row is shown."""

from dataclasses import dataclass, replace

from django.http import HttpRequest
from django.utils.translation import gettext as _

from reports.formatting import day_range, small_percent, whole
from reports.models import Histogram
from reports.privacy import Loss
from reports.results import HistogramRow, HistogramView, other_field, unpadded
from reports.web.pages import provenance_facts
from reports.web.pages.addresses import downloads, element_address, exact_address, link
from reports.web.pages.choices import Choice, Empty
from reports.web.pages.exports import file_views
from reports.web.pages.figures import Chart, Result
from reports.web.pages.histogram import histogram_chart
from reports.web.pages.histogram.histogram_empty import in_place_of_rows
from reports.web.pages.kinds import PageKind, page_kind
from reports.web.pages.locales import locale_name, writing
from reports.web.pages.periods import not_counted_words
from reports.web.pages.provenance_facts import Facts, threshold, threshold_share
from reports.web.pages.tables import Heading, number
from reports.web.pages.trend.trend_words import INTERVAL
from reports.web.pages.version_words import version_words


@dataclass(frozen=True)
class Line:
    """A row with its numbers: the estimate and its interval in the unit of the chart, and the estimate in the other.

    Of consistent values, which have no intervals, the interval is of the raw estimate.
    """

    row: HistogramRow
    value: str
    interval: str
    other: str
    # Of groups, each of which has its own.
    threshold: str
    link: str


@dataclass(frozen=True, kw_only=True)
class HistogramResult(Result):
    """All that is shown of a histogram."""

    view: HistogramView
    kind: PageKind
    locale: str
    window: str
    # Names and values, and what is said behind a value.
    facts: list[tuple[str, ...]]
    # What there is to know beside the caption, and what else there is to see.
    warnings: list[str]
    remarks: list[tuple[str, Choice]]
    table_template: str
    headings: list[Heading]
    lines: list[Line]
    # In place of the rows, and beside them: elements of the dictionary that a search finds below the threshold.
    empty: Empty | None
    beside: Empty | None


def histogram_result(
    view: HistogramView, histogram: Histogram, loss: Loss, request: HttpRequest | None
) -> HistogramResult:
    """Without a request for embedded pages, which lead nowhere."""
    kind, linked, exactly = page_kind(view.version), request is not None, view.exact().encoded()
    locale, window = locale_name(view.locale), day_range(histogram.first_day, histogram.last_day)
    below, share = kind.below(view, histogram), threshold_share(histogram)
    caption, provenance = _caption(view, histogram, kind, below), _provenance(view, histogram, kind, loss)
    neutral = histogram.version.normalization == "domain" or view.query.group == "category"
    element_lang, element_dir = writing(view.locale, neutral=neutral)
    chart = None
    if view.rows:
        by_rank = sorted(view.rows, key=lambda row: row.entry.rank)
        chart = Chart(
            figure=histogram_chart.figure(histogram, by_rank, view.query),
            summary=histogram_chart.summary(by_rank, locale, view.query, kind),
            name=f"{view.use_case.slug}-{view.locale}-{histogram.first_day}-{histogram.last_day}",
        )
        words = _("%(title)s: %(place)s, %(window)s")
        chart = chart.pictured(
            request,
            exactly,
            title=words % {"title": view.use_case.title, "place": locale, "window": window},
            caption=caption,
            provenance=provenance,
            links=[_row_link(view, row) for row in by_rank],
        )
    described = {"below": below, "place": locale, "window": window}
    empty, beside = in_place_of_rows(view, histogram, kind, described) if linked else (None, None)
    return HistogramResult(
        view=view,
        kind=kind,
        locale=locale,
        window=window,
        facts=[
            (_("Reports (n)"), whole(histogram.n), *_version(view)),
            (_("Window"), window),
            (_("Threshold (T)"), threshold(histogram), f"= {share}" if share else ""),
            (_("Shown"), _shown(view)),
            *_other(view, histogram),
            *kind.facts(histogram),
        ],
        caption=caption,
        warnings=kind.warnings(histogram),
        remarks=kind.remarks(view) if linked else [],
        # Who decided what about words, and on which other days they were seen, is not for strangers.
        table_template=kind.table_template if linked else "reports/_histogram_table.html",
        headings=_headings(view, kind, linked=linked),
        lines=[_line(view, row, linked=linked) for row in view.rows],
        chart=chart,
        empty=empty,
        beside=beside,
        downloads=downloads(view.use_case.slug, exactly, **file_views("use_case")) if linked else [],
        exactly=exact_address(request, exactly) if request is not None else "",
        provenance=provenance,
        element_lang=element_lang,
        element_dir=element_dir,
    )


def _caption(view: HistogramView, histogram: Histogram, kind: PageKind, below: str) -> str:
    found = kind.caption(view, histogram, below)
    if view.query.values:
        found.append(
            _(
                "The values are made consistent with each other: all estimates of the dictionary are moved by the same"
                " number, and what falls below zero is set to zero, so that together they add up to n. This makes them"
                " systematically a little too large or too small, and they have no interval of their own; the"
                " intervals beside them belong to the raw estimates."
            )
        )
    if view.query.scale == "log":
        found.append(
            _(
                "The axis of the chart is logarithmic and has no zero: an interval that leaves the chart on the left"
                " goes on to zero or below."
            )
        )
    return " ".join(filter(None, [*found, *not_counted_words(histogram.version, view.not_counted)]))


def _version(view: HistogramView) -> list[str]:
    """Which version's reports they are, where there are those of others as well."""
    return [version_words(view.version)] if view.version is not None and view.elsewhere else []


def _shown(view: HistogramView) -> str:
    if view.matching is None:
        return _("%(shown)s of %(total)s above T") % {"shown": whole(len(view.rows)), "total": whole(view.total)}
    if view.matching == 0:
        return _("nothing above T matches")
    words = _("%(shown)s of %(total)s above T that match")
    return words % {"shown": whole(len(view.rows)), "total": whole(view.matching)}


def _other(view: HistogramView, histogram: Histogram) -> list[tuple[str, ...]]:
    """Say how many reports are about what is not in the dictionary, with the interval behind; it is no row."""
    found = other_field(histogram).get("other")
    if found is None:
        return []
    value, *ends = (_in_unit_of_chart(view, found[name]) for name in ("estimate", "lower", "upper"))
    return [(_("Anything else"), value, INTERVAL % tuple(ends))]


def _provenance(view: HistogramView, histogram: Histogram, kind: PageKind, loss: Loss) -> Facts:
    return [
        *provenance_facts.of_version(histogram.version),
        *provenance_facts.of_dictionary(histogram.revision),
        *([(_("Grouped by"), str(view.grouping.label))] if view.grouping else []),
        *([(_("Values"), _("consistent with each other (Norm-Sub)"))] if view.query.values else []),
        *provenance_facts.of_estimator(histogram, view.not_counted),
        *provenance_facts.of_windows([histogram]),
        *provenance_facts.of_intervals(),
        *kind.provenance(histogram),
        *provenance_facts.of_privacy(loss),
    ]


# --- Table ---


def _line(view: HistogramView, row: HistogramRow, *, linked: bool) -> Line:
    entry = row.entry
    ends = (_in_unit_of_chart(view, end) for end in (entry.adjusted_lower, entry.adjusted_upper))
    return Line(
        row=row,
        value=_in_unit_of_chart(view, row.value),
        interval=INTERVAL % tuple(ends),
        other=small_percent(row.share) if view.query.unit == "count" else whole(row.value),
        threshold=_in_unit_of_chart(view, row.threshold) if view.grouping is not None else "",
        link=_row_link(view, row) if linked else "",
    )


def _in_unit_of_chart(view: HistogramView, reports: float) -> str:
    if view.histogram is None or view.query.unit == "count":
        return whole(reports)
    return small_percent(reports / view.histogram.n)


def _row_link(view: HistogramView, row: HistogramRow) -> str:
    """To the elements of a category, or to all about an element; empty for other groups."""
    if view.version is None:
        return ""
    if view.grouping is None:
        return element_address(view.use_case.slug, unpadded(view.version, row.entry.element), view.query.version)
    return (
        link(replace(view.query, group="", category=row.entry.category), view) if view.query.group == "category" else ""
    )


def _headings(view: HistogramView, kind: PageKind, *, linked: bool) -> list[Heading]:
    """Rank, estimate and share are one order; only the rank says so, lest a reader hear it three times."""

    def sorted_by(column: str) -> tuple[str, str]:
        order = {column: "ascending", f"-{column}": "descending"}.get(view.query.sort, "")
        turned = f"-{column}" if view.query.sort == column else column
        return link(replace(view.query, sort=turned), view), order

    estimate = _("Estimate")
    # xgettext:no-python-format
    interval = _("95 % interval")
    if view.query.values:
        estimate, interval = _("Consistent estimate"), _("95 %% interval, raw") % {}
    value, other = (estimate, _("Share")) if view.query.unit == "count" else (_("Share"), estimate)
    by_rank, order = sorted_by("rank")
    found = [
        Heading(_("Rank"), by_rank, order, "number"),
        Heading(str(view.grouping.column if view.grouping is not None else kind.element), *sorted_by("name")),
        Heading(value, by_rank, css="number"),
        number(interval),
        Heading(other, by_rank, css="number"),
        *([number(_("Elements")), number(_("T"))] if view.grouping is not None else []),
    ]
    if linked:
        return [*found, *kind.more_headings(view)]
    return [Heading(each.label, css=each.css) for each in found]
