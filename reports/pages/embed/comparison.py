"""An embedded comparison."""

from dataclasses import replace

from django.http import QueryDict
from django.utils.translation import gettext as _

from reports.models import UseCase
from reports.pages.compare import chart, facts
from reports.pages.compare.controls import DEFAULT_TOP, MOST_ROWS
from reports.pages.compare.numbers import digits_for
from reports.pages.compare.table import Cell, in_full, lines
from reports.pages.embed.embedded import Line, Shown, with_interval
from reports.pages.locales import UNDIVIDED, direction, language_tag
from reports.results.comparison.query import ComparisonQuery
from reports.results.comparison.view import comparison_view


def comparison(use_case: UseCase, parameters: QueryDict) -> Shown | None:
    """None if there is nothing to see. Raises `QueryError`."""
    query = ComparisonQuery.from_parameters(parameters)
    view = comparison_view(use_case, replace(query, top=min(query.top or DEFAULT_TOP, MOST_ROWS)))
    if view.histograms is None or view.version is None or not view.rows:
        return None
    first, second = view.histograms
    names = facts.side_names(view)
    digits = digits_for(*(each.threshold / each.n for each in view.histograms if each.threshold is not None))
    neutral = view.version.normalization == "domain" or first.locale != second.locale or first.locale == UNDIVIDED
    sides = facts.side_facts(view, names, digits)
    return Shown(
        heading=_("%(first)s and %(second)s") % {"first": names.first, "second": names.second},
        facts=[
            (
                _("%(name)s: %(value)s") % {"name": side.letter, "value": side.name},
                _("n = %(n)s, T = %(threshold)s") % {"n": side.n, "threshold": side.threshold_share},
            )
            for side in sides
        ],
        caption=f"{facts.tally(view, names)} {facts.caption(view, names)} {facts.what_is_clear()}",
        columns=[
            _("Element") if view.discovery is None else _("Word"),
            names.first,
            names.second,
            _("Difference in points"),
            _("Verdict"),
        ],
        lines=[
            Line(
                line.display,
                line.name,
                [*map(_share, line.cells), with_interval(line.difference, line.interval), in_full(row, names, digits)],
            )
            for row, line in zip(view.rows, lines(view, names, digits), strict=True)
        ],
        provenance=facts.provenance(view, first, second),
        exactly=view.exact().encoded(),
        chart=chart.figure(view.version, view.rows, names, digits),
        chart_summary=chart.summary(view.rows, names),
        language=UNDIVIDED if neutral else language_tag(first.locale),
        direction="auto" if neutral else direction(first.locale),
    )


def _share(cell: Cell) -> str:
    return with_interval(cell.share or cell.below, cell.interval or cell.at_most)
