"""A histogram on its page and where it is embedded: facts, chart and table, or why no row is shown."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import gettext as _

from aggregation.estimation import Remainder
from reports.formatting import day_range, whole
from reports.models import Histogram
from reports.privacy import Loss
from reports.results import HistogramView, other_field
from reports.web.pages import provenance_facts
from reports.web.pages.choices import Choice, Empty
from reports.web.pages.figures import Chart, Result
from reports.web.pages.histogram import histogram_chart
from reports.web.pages.histogram.histogram_empty import in_place_of_rows
from reports.web.pages.histogram.histogram_finding import finding
from reports.web.pages.histogram.histogram_table import (
    HistogramTable,
    in_unit_of_chart,
    interval,
    row_link,
    shown_table,
)
from reports.web.pages.kinds import PageKind, page_kind
from reports.web.pages.locales import locale_name, writing
from reports.web.pages.periods import not_counted_words
from reports.web.pages.provenance_facts import Facts, threshold, threshold_share
from reports.web.pages.version_words import version_words


@dataclass(frozen=True)
class Rest:
    """All elements that are not shown, as one number in the unit of the chart, with its interval."""

    value: str
    interval: str
    # Both, as the chart says it.
    said: str

    @classmethod
    def of(cls, view: HistogramView, found: Remainder) -> "Rest":
        value, ends = in_unit_of_chart(view, found.estimate), interval(view, found.lower, found.upper)
        words = _("Not allocated: %(value)s (%(interval)s)")
        return cls(value, ends, words % {"value": value, "interval": ends})


@dataclass(frozen=True, kw_only=True)
class HistogramResult(Result):
    """All that is shown of a histogram."""

    view: HistogramView
    kind: PageKind
    locale: str
    window: str
    # Names and values, and what is said behind a value.
    facts: list[tuple[str, ...]]
    # Facts of how words were found.
    more_facts: Facts
    # Warnings beside the caption, and links to further results.
    warnings: list[str]
    remarks: list[tuple[str, Choice]]
    table: HistogramTable
    rest: Rest | None
    # In place of the rows, and beside them: elements of the dictionary that a search finds below the threshold.
    empty: Empty | None
    beside: Empty | None


def histogram_result(
    view: HistogramView, histogram: Histogram, loss: Loss, request: HttpRequest | None
) -> HistogramResult:
    kind, linked = page_kind(view.version), request is not None
    locale, window = locale_name(view.locale), day_range(histogram.first_day, histogram.last_day)
    below, share = kind.below(view, histogram), threshold_share(histogram)
    caption, provenance = _caption(view, histogram, kind, below), _provenance(view, histogram, kind, loss)
    neutral = histogram.version.normalization == "domain" or view.query.group == "category"
    element_lang, element_dir = writing(view.locale, neutral=neutral)
    chart, rest = None, None
    if view.rows:
        rest = Rest.of(view, view.rest) if view.rest is not None else None
        by_rank = sorted(view.rows, key=lambda row: row.entry.rank)
        chart = Chart(
            figure=histogram_chart.figure(histogram, by_rank, view.query, rest.said if rest is not None else ""),
            summary=histogram_chart.summary(by_rank, locale, view.query, kind),
            name=f"{view.use_case.slug}-{view.locale}-{histogram.first_day}-{histogram.last_day}",
        )
        words = _("%(title)s: %(place)s, %(window)s")
        chart = chart.pictured(
            request,
            view.exact().encoded(),
            title=words % {"title": view.use_case.title, "place": locale, "window": window},
            caption=caption,
            provenance=provenance,
            links=[row_link(view, row) for row in by_rank],
        )
    described = {"below": below, "place": locale, "window": window}
    empty, beside = in_place_of_rows(view, histogram, kind, described) if linked else (None, None)
    return HistogramResult(
        view=view,
        kind=kind,
        locale=locale,
        window=window,
        finding=finding(view, histogram, kind) if view.rows else "",
        facts=[
            (_("Reports (n)"), whole(histogram.n), *_version(view)),
            (_("Window"), window),
            (_("Threshold (T)"), threshold(histogram), f"= {share}" if share else ""),
            (_("Shown"), _shown(view)),
            *_other(view, histogram),
        ],
        more_facts=kind.facts(histogram),
        caption=caption,
        warnings=kind.warnings(histogram),
        remarks=kind.remarks(view) if linked else [],
        table=shown_table(view, histogram, kind, linked=linked),
        rest=rest,
        chart=chart,
        empty=empty,
        beside=beside,
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
    """The version of the reports, where there are reports of others as well."""
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
    ends = interval(view, found["lower"], found["upper"])
    return [(_("Anything else"), in_unit_of_chart(view, found["estimate"]), ends)]


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
