"""An embedded histogram."""

from dataclasses import replace

from django.http import QueryDict
from django.utils.translation import gettext as _

from reports.formatting import whole
from reports.models import UseCase
from reports.privacy import privacy_loss
from reports.results import HistogramQuery, HistogramView, histogram_view
from reports.web.pages.addresses import DEFAULT_TOP
from reports.web.pages.embed.embedded import Line, Shown
from reports.web.pages.figures import Chart
from reports.web.pages.histogram import histogram_chart
from reports.web.pages.histogram.histogram_facts import About
from reports.web.pages.histogram.histogram_table import lines, value_headings
from reports.web.pages.locales import writing


def histogram(use_case: UseCase, parameters: QueryDict) -> Shown | None:
    """None if there is nothing to see. Raises `QueryError`."""
    query = HistogramQuery.from_parameters(parameters)
    if query.words == "rejected":
        return None
    if query.words == "all":
        # Strangers see none that was rejected, whoever made the link and when.
        query = replace(query, words="")
    view = histogram_view(use_case, replace(query, top=min(query.top or DEFAULT_TOP, histogram_chart.MOST_BARS)))
    if view.histogram is None or view.version is None or not view.rows:
        return None
    facts = About(view, view.histogram, privacy_loss(use_case, view.version))
    by_rank = sorted(view.rows, key=lambda row: row.entry.rank)
    share = f" = {facts.threshold_share}" if facts.threshold_share else ""
    language, way = writing(view.locale, neutral=view.version.normalization == "domain" or query.group == "category")
    return Shown(
        heading=facts.locale,
        facts=[
            (_("Reports (n)"), facts.n),
            (_("Window"), facts.window),
            (_("Threshold (T)"), facts.threshold + share),
            (_("Shown"), facts.shown),
        ],
        caption=facts.caption,
        columns=_columns(view),
        lines=_lines(view),
        provenance=facts.provenance,
        exactly=view.exact().encoded(),
        chart=Chart(
            histogram_chart.figure(view.histogram, by_rank, view.query),
            histogram_chart.summary(view.histogram, by_rank, facts.locale, view.query),
            use_case.slug,
        ),
        language=language,
        direction=way,
        notes=[_("≈ The interval overlaps with that of a neighbour: which of the two comes first is not certain.")],
    )


def _columns(view: HistogramView) -> list[str]:
    grouped = [_("Elements"), _("T")] if view.grouping is not None else []
    element = _("Word") if view.discovery is not None else _("Element")
    first = str(view.grouping.column) if view.grouping is not None else element
    return [first, _("Rank"), *(heading.label for heading in value_headings(view, "")), *grouped]


def _lines(view: HistogramView) -> list[Line]:
    return [
        Line(
            line.row.display,
            line.row.name,
            [
                f"≈\u00a0{whole(line.row.entry.rank)}" if line.row.tied else whole(line.row.entry.rank),
                line.value,
                line.interval,
                line.other,
                *([whole(line.row.entry.members), line.threshold] if view.grouping is not None else []),
            ],
        )
        for line in lines(view)
    ]
