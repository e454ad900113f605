"""The page that compares two locales or two windows of a use case, and the same as files."""

from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reports.formatting import whole
from reports.models import Histogram, SavedView, UseCase
from reports.results import Table, cached
from reports.results.comparison import (
    OTHER,
    ComparisonQuery,
    ComparisonView,
    Verdict,
    comparison_table,
    comparison_view,
)
from reports.web.pages.choices import Choice, Empty
from reports.web.pages.compare import comparison_chart, comparison_facts
from reports.web.pages.compare.comparison_controls import (
    DEFAULT_TOP,
    MOST_ROWS,
    TOP_CHOICES,
    CompareControls,
    Others,
    controls,
    link,
    other_comparisons,
    page_parameters,
)
from reports.web.pages.compare.comparison_facts import SideFacts, side_facts, side_names
from reports.web.pages.compare.comparison_finding import finding
from reports.web.pages.compare.comparison_numbers import digits_for
from reports.web.pages.compare.comparison_table import Line, SideNames, headings, lines
from reports.web.pages.figures import Chart, Result
from reports.web.pages.locales import writing
from reports.web.pages.results_page import Content, Parameters, ResultsPage
from reports.web.pages.tables import Heading
from reports.web.pages.windows import WindowControl


@dataclass(frozen=True, kw_only=True)
class ComparisonResult(Result):
    """All that is shown of a comparison."""

    view: ComparisonView
    names: SideNames
    sides: list[SideFacts]
    title: str
    hidden: str
    clear: str
    headings: list[Heading]
    lines: list[Line]
    # How many rows the chart has, if there are more; and the link to the rows that are left out, if any are.
    chart_rows: int
    more: Choice | None
    not_reported: bool
    empty: Empty | None


@dataclass(frozen=True, kw_only=True)
class ComparisonContent(Content):
    others: Others
    sides: list[SideFacts]
    hidden: str


class ComparisonPage(ResultsPage[ComparisonQuery, ComparisonView]):
    page = SavedView.Page.COMPARE
    template = "reports/compare.html"
    result_template = "reports/_compare_result.html"
    form_template = "reports/_compare_controls.html"
    tab = "compare"
    prefixes = ("", OTHER)
    query = ComparisonQuery
    usual_top, most_top = DEFAULT_TOP, MOST_ROWS
    files = "comparison"
    nothing_to_write = gettext_lazy("The two sides cannot be compared, or one of them is not published.")

    def find(
        self, use_case: UseCase, query: ComparisonQuery, reader: User | None = None, *, results: bool = True
    ) -> ComparisonView:
        return comparison_view(use_case, query, results=results)

    def parameters(self, query: ComparisonQuery, view: ComparisonView) -> Parameters:
        return page_parameters(query, view)

    def is_shown(self, view: ComparisonView) -> bool:
        return view.compared is not None

    def controls(self, view: ComparisonView) -> CompareControls | None:
        return controls(view)

    def windows(self, controls: CompareControls) -> list[WindowControl]:
        return [side.window for side in controls.sides]

    def with_windows(self, controls: CompareControls, windows: dict[str, WindowControl]) -> CompareControls:
        return replace(controls, sides=[replace(side, window=windows[side.prefix]) for side in controls.sides])

    def result(self, view: ComparisonView, request: HttpRequest | None) -> ComparisonResult | None:
        return None if view.histograms is None else _result(view, *view.histograms, request)

    def content(self, request: HttpRequest, view: ComparisonView, *, owner: bool) -> ComparisonContent:
        result: ComparisonResult | None = self.linked(view, request)
        return ComparisonContent(
            view=view,
            result=result,
            owner=owner,
            tab=self.tab,
            controls=controls(view),
            others=other_comparisons(view),
            sides=result.sides if result is not None else side_facts(view, side_names(view), 2, linked=True),
            hidden=comparison_facts.hidden(view),
        )

    def document(self, view: ComparisonView) -> dict[str, Any] | None:
        return view.document()

    def table(self, document: dict[str, Any]) -> Table:
        return comparison_table(document)

    def file_name(self, document: dict[str, Any]) -> str:
        parts = ("locale", "first_day", "last_day")
        sides = [str(document[side][part]) for side in ("first", "second") for part in parts]
        return "-".join([document["use_case"], *sides])

    def embedded_view(self, use_case: UseCase, parameters: QueryDict) -> ComparisonView | None:
        view = super().embedded_view(use_case, parameters)
        return view if view is not None and view.rows else None


COMPARISON = ComparisonPage()


def _result(view: ComparisonView, first: Histogram, second: Histogram, request: HttpRequest | None) -> ComparisonResult:
    linked, names = request is not None, side_names(view)
    digits = digits_for(*(each.threshold / each.n for each in (first, second) if each.threshold is not None))
    provenance, caption = comparison_facts.provenance(view, first, second), comparison_facts.caption(view, names)
    neutral = first.version.normalization == "domain" or first.locale != second.locale
    element_lang, element_dir = writing(first.locale, neutral=neutral)
    shown, chart = lines(view, names, digits, linked=linked), None
    if view.rows:
        chart = Chart(
            figure=_figure(view, first, second, names, digits),
            summary=comparison_chart.summary(view.rows, names),
            name=f"{view.use_case.slug}-comparison",
        )
        chart = chart.pictured(
            request,
            view.exact().encoded(),
            title=comparison_facts.title(view, names),
            caption=caption,
            provenance=provenance,
            links=[line.page for line in shown],
        )
    return ComparisonResult(
        view=view,
        names=names,
        sides=side_facts(view, names, digits, linked=linked),
        title=comparison_facts.title(view, names),
        finding=finding(view, names, digits),
        hidden=comparison_facts.hidden(view) if linked else "",
        clear=comparison_facts.what_is_clear(),
        headings=headings(view, names, linked=linked),
        lines=shown,
        chart=chart,
        chart_rows=comparison_chart.MOST_ROWS if len(view.rows) > comparison_chart.MOST_ROWS else 0,
        more=_more(view) if linked else None,
        not_reported=any(row.verdict == Verdict.NOT_COMPARABLE for row in view.rows),
        empty=None if view.rows else _no_name_matches(view),
        caption=caption,
        provenance=provenance,
        element_lang=element_lang,
        element_dir=element_dir,
    )


def _more(view: ComparisonView) -> Choice | None:
    """A link to all rows, or to as many as a page shows."""
    if view.query.search or len(view.rows) >= min(view.total, MOST_ROWS):
        return None
    wanted = min((top for top in TOP_CHOICES if top >= view.total), default=MOST_ROWS)
    words = _("Show all %(total)s") if view.total <= MOST_ROWS else _("Show %(shown)s of %(total)s")
    return Choice(
        link(replace(view.query, top=wanted), view),
        words % {"total": whole(view.total), "shown": whole(MOST_ROWS)},
    )


def _no_name_matches(view: ComparisonView) -> Empty:
    words = _("Nothing above T on either side is called “%(search)s”. It may be below T on both, or have another name.")
    everything = Choice(link(replace(view.query, search=""), view), _("Show everything"))
    return Empty(_("No name matches"), [words % {"search": view.query.search}], actions=[everything])


def _figure(view: ComparisonView, first: Histogram, second: Histogram, names: SideNames, digits: int) -> dict[str, Any]:
    """The chart, remembered as its numbers are: to shape it takes a third of the page's time.

    By default only the chart of the rows that are shown: there is no end to what may be searched for.
    """
    usual = replace(view.query, top=DEFAULT_TOP, search="", sort=ComparisonQuery().sort)
    if view.query != usual:
        return comparison_chart.figure(first.version, view.rows, names, digits)
    key = f"{first.pk}:{second.pk}:{view.query.encoded()}"
    return cached(
        view.use_case, "comparison-chart", key, lambda: comparison_chart.figure(first.version, view.rows, names, digits)
    )
