"""An embedded comparison."""

from dataclasses import replace

from django.http import QueryDict
from django.utils.translation import gettext as _

from reports.models import UseCase
from reports.results.comparison import ComparisonQuery, comparison_view
from reports.web.pages.compare import comparison_chart, comparison_facts
from reports.web.pages.compare.comparison_controls import DEFAULT_TOP, MOST_ROWS
from reports.web.pages.compare.comparison_numbers import digits_for
from reports.web.pages.compare.comparison_table import in_full, lines
from reports.web.pages.embed.embedded import Line, Shown, with_interval
from reports.web.pages.figures import Chart


def comparison(use_case: UseCase, parameters: QueryDict) -> Shown | None:
    """None if there is nothing to see. Raises `QueryError`."""
    query = ComparisonQuery.from_parameters(parameters)
    view = comparison_view(use_case, replace(query, top=min(query.top or DEFAULT_TOP, MOST_ROWS)))
    if view.histograms is None or view.version is None or not view.rows:
        return None
    first, second = view.histograms
    names = comparison_facts.side_names(view)
    digits = digits_for(*(each.threshold / each.n for each in view.histograms if each.threshold is not None))
    language, way = comparison_facts.element_writing(first, second)
    sides = comparison_facts.side_facts(view, names, digits)
    return Shown(
        heading=_("%(first)s and %(second)s") % {"first": names.first, "second": names.second},
        facts=[
            (
                _("%(name)s: %(value)s") % {"name": side.letter, "value": side.name},
                _("n = %(n)s, T = %(threshold)s") % {"n": side.n, "threshold": side.threshold_share},
            )
            for side in sides
        ],
        caption=" ".join(
            [
                comparison_facts.tally(view, names),
                comparison_facts.caption(view, names),
                comparison_facts.what_is_clear(),
            ]
        ),
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
                [
                    *(with_interval(cell.value, cell.note) for cell in line.cells),
                    with_interval(line.difference, line.interval),
                    in_full(row, names, digits),
                ],
            )
            for row, line in zip(view.rows, lines(view, names, digits), strict=True)
        ],
        provenance=comparison_facts.provenance(view, first, second),
        exactly=view.exact().encoded(),
        chart=Chart(
            comparison_chart.figure(view.version, view.rows, names, digits),
            comparison_chart.summary(view.rows, names),
            use_case.slug,
        ),
        language=language,
        direction=way,
    )
