"""The page that compares two locales or two windows of a use case, and the same as files."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import owned, use_cases
from reports.formatting import whole
from reports.models import Histogram, SavedView, UseCase
from reports.results import QueryError, cached, page_address, with_versions
from reports.results.comparison import (
    OTHER,
    ComparisonQuery,
    ComparisonView,
    Verdict,
    comparison_table,
    comparison_view,
)
from reports.viewings import record_viewing
from reports.web.pages.addresses import downloads, exact_address
from reports.web.pages.bookmarks.visits import remember
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
from reports.web.pages.embed.embedded import Embedded
from reports.web.pages.errors import Wrong, refusal
from reports.web.pages.exports import Export, Form, file_views, results_file
from reports.web.pages.figures import Chart, Result
from reports.web.pages.inapplicable_parameters import without_what_is_missing
from reports.web.pages.kinds import PageKind, page_kind
from reports.web.pages.locales import writing
from reports.web.pages.people import person
from reports.web.pages.tables import Heading
from reports.web.pages.windows import as_sent

# In front of the parameters of the two sides.
_PREFIXES = ("", OTHER)


@login_required
@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(with_versions(use_cases(person(request), "view")), slug=slug)
    try:
        view = _view(found, _page_query(as_sent(request.GET, *_PREFIXES)))
    except QueryError as error:
        return refusal(request, found, error, partial(_form, found), _PREFIXES)
    if request.GET.dict() != page_parameters(view.query, view):
        # One view, one address: without the defaults that a form sends.
        return redirect(f"{request.path}{link(view.query, view)}".rstrip("?"))
    if view.compared is not None:
        record_viewing(person(request), found, "page")
        remember(request, found, SavedView.Page.COMPARE)
    page = _page(request, found, view)
    return render(request, "reports/compare.html", {"page": page, "use_case": found, "result": page.result})


def _page_query(sent: QueryDict) -> ComparisonQuery:
    query = ComparisonQuery.from_parameters(sent)
    query = replace(query, top=query.top or DEFAULT_TOP)
    if query.top is not None and query.top > MOST_ROWS:
        raise QueryError("top", _("A page shows at most %(most)s elements.") % {"most": MOST_ROWS})
    return query


def _view(found: UseCase, query: ComparisonQuery, *, results: bool = True) -> ComparisonView:
    """The view, without what the version does not have: a form sends that along if another is chosen."""
    return without_what_is_missing(lambda asked: comparison_view(found, asked, results=results), query)


def _form(found: UseCase, sent: QueryDict, wrong: Wrong) -> dict[str, object] | None:
    """The form's context, to be shown again."""
    view = _view(found, _page_query(sent), results=False)
    shown = controls(view)
    if shown is None:
        return None
    sides = [replace(side, window=wrong(side.window)) for side in shown.sides]
    form = {"controls": replace(shown, sides=sides), "form": "reports/_compare_controls.html", "tab": "compare"}
    return form | {"query": view.query, "locale": view.query.first.locale}


@dataclass(frozen=True, kw_only=True)
class ComparisonResult(Result):
    """All that is shown of a comparison."""

    view: ComparisonView
    names: SideNames
    sides: list[SideFacts]
    title: str
    finding: str
    hidden: str
    clear: str
    headings: list[Heading]
    lines: list[Line]
    # How many rows the chart has, if there are more; and the link to the rows that are left out, if any are.
    chart_rows: int
    more: Choice | None
    not_reported: bool
    empty: Empty | None


@dataclass(frozen=True)
class ComparisonPage:
    """All that the page shows."""

    view: ComparisonView
    kind: PageKind
    controls: CompareControls | None
    others: Others
    owner: bool
    minimum: str
    sides: list[SideFacts]
    hidden: str
    result: ComparisonResult | None


def _page(request: HttpRequest, found: UseCase, view: ComparisonView) -> ComparisonPage:
    result = _result(view, *view.histograms, request) if view.histograms is not None else None
    return ComparisonPage(
        view=view,
        kind=page_kind(view.version),
        controls=controls(view),
        others=other_comparisons(view),
        owner=found.pk in owned(person(request)),
        minimum=whole(found.minimum_reports),
        sides=result.sides if result is not None else side_facts(view, side_names(view), 2, linked=True),
        hidden=comparison_facts.hidden(view),
        result=result,
    )


def _result(view: ComparisonView, first: Histogram, second: Histogram, request: HttpRequest | None) -> ComparisonResult:
    """Without a request for embedded pages, which lead nowhere."""
    linked, exactly, names = request is not None, view.exact().encoded(), side_names(view)
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
            exactly,
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
        downloads=downloads(view.use_case.slug, exactly, **file_views("comparison")) if linked else (),
        exactly=exact_address(request, exactly) if request is not None else "",
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


def embedded(found: UseCase, parameters: QueryDict) -> Embedded | None:
    """Content of an embedded page; None if there is nothing to see. Raises `QueryError`."""
    query = ComparisonQuery.from_parameters(parameters)
    view = comparison_view(found, replace(query, top=min(query.top or DEFAULT_TOP, MOST_ROWS)))
    if view.histograms is None or not view.rows:
        return None
    result = _result(view, *view.histograms, None)
    return Embedded("reports/_compare_result.html", result, view.exact().encoded(), result.finding)


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


@login_required
@require_safe
def comparison_file(request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
    """The page's query, rows and order as a file."""

    def find(use_case: UseCase) -> Export | None:
        view = comparison_view(use_case, ComparisonQuery.from_parameters(request.GET))
        document = view.document()
        if document is None:
            return None
        document["address"] = page_address(request, "compare", use_case, view.exact())
        return Export(document, comparison_table(document), _name(document))

    return results_file(request, slug, form, find, _("There is nothing to compare here."))


def _name(document: dict[str, Any]) -> str:
    sides = [str(document[side][part]) for side in ("first", "second") for part in ("locale", "first_day", "last_day")]
    return "-".join([document["use_case"], *sides])
