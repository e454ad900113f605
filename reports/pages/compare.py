"""The page that compares two locales or two windows of a use case, and the same as files."""

from dataclasses import replace
from typing import Any, Literal

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import use_cases
from reports.models import Histogram, UseCase
from reports.numbers import whole
from reports.pages import compare_chart as chart
from reports.pages import compare_facts as facts
from reports.pages.compare_controls import (
    DEFAULT_TOP,
    MOST_ROWS,
    controls,
    exact,
    link,
    page_parameters,
)
from reports.pages.compare_numbers import digits_for
from reports.pages.compare_table import SideNames, headings, lines
from reports.pages.downloads import downloads, exact_address
from reports.pages.figures import Picture
from reports.pages.locales import UNDIVIDED, direction, language_tag
from reports.pages.people import person
from reports.results import NotInVersion, QueryError
from reports.results.caching import cached
from reports.results.comparison import ComparisonView, comparison_view
from reports.results.comparison_document import comparison_csv_lines
from reports.results.comparison_query import OTHER, ComparisonQuery
from reports.results.comparison_rows import Verdict
from reports.viewings import record_viewing


@login_required
@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    try:
        view = _view(found, _page_query(request))
    except QueryError as error:
        context = {"use_case": found, "error": error, "field": _labels().get(error.field, error.field)}
        return render(request, "reports/bad_query.html", context, status=400)
    if request.GET.dict() != page_parameters(view.query, view):
        # One view, one address: without the defaults that a form sends.
        return redirect(f"{request.path}{link(view.query, view)}".rstrip("?"))
    if view.compared is not None:
        record_viewing(person(request), found, "page")
    return render(request, "reports/compare.html", _context(request, found, view))


def _page_query(request: HttpRequest) -> ComparisonQuery:
    query = ComparisonQuery.from_parameters(request.GET)
    query = replace(query, top=query.top or DEFAULT_TOP)
    if query.top is not None and query.top > MOST_ROWS:
        raise QueryError("top", _("A page shows at most %(most)s elements.") % {"most": MOST_ROWS})
    return query


def _view(found: UseCase, query: ComparisonQuery) -> ComparisonView:
    """What there is to see, without what the version does not have: a form sends that along if another is chosen."""
    while True:
        try:
            return comparison_view(found, query)
        except NotInVersion as error:
            query = query.without(error.field)


def _labels() -> dict[str, str]:
    """What the form calls the parameters."""
    words = {"locale": _("Locale"), "from": _("From"), "to": _("To"), "days": _("Days")}
    first, second = _("First side (A)"), _("Second side (B)")
    return {
        **{name: f"{first}: {word}" for name, word in words.items()},
        **{f"{OTHER}{name}": f"{second}: {word}" for name, word in words.items()},
        "version": _("Version"),
        "top": _("Show the top"),
        "q": _("Search by name"),
    }


def _context(request: HttpRequest, found: UseCase, view: ComparisonView) -> dict[str, object]:
    names = facts.side_names(view)
    digits = digits_for(*(each.threshold / each.n for each in view.histograms or () if each.threshold is not None))
    context: dict[str, object] = {
        "use_case": found,
        "view": view,
        "query": view.query,
        "controls": controls(view),
        "owner": use_cases(person(request), "edit").filter(pk=found.pk).exists(),
        "minimum": whole(found.minimum_reports),
        "names": names,
        "sides": facts.side_facts(view, names, digits),
    }
    if view.histograms is not None:
        context |= _result(request, view, view.histograms, names, digits)
    return context


def _result(
    request: HttpRequest,
    view: ComparisonView,
    histograms: tuple[Histogram, Histogram],
    names: SideNames,
    digits: int,
) -> dict[str, object]:
    first, second = histograms
    exactly = exact(view).encoded()
    provenance = facts.provenance(view, first, second)
    lang, way = _element_language(view, first, second)
    context: dict[str, object] = {
        "lines": lines(view, names, digits),
        "headings": headings(view, names),
        "tally": facts.tally(view, names),
        "hidden": facts.hidden(view),
        "caption": facts.caption(names),
        "provenance": provenance,
        "not_reported": any(row.verdict == Verdict.NOT_COMPARABLE for row in view.rows),
        "everything": link(replace(view.query, search=""), view),
        "element_lang": lang,
        "element_dir": way,
        "downloads": downloads(view.use_case.slug, exactly, CSV="comparison_csv", JSON="comparison_json"),
        "exactly": exact_address(request, exactly),
    }
    if view.rows:
        title = _("%(title)s: %(first)s and %(second)s") % {
            "title": view.use_case.title,
            "first": names.first,
            "second": names.second,
        }
        name = f"{view.use_case.slug}-comparison"
        context |= {
            "chart": _figure(view, first, second, names, digits),
            "chart_summary": chart.summary(view.rows, names),
            "chart_rows": chart.MOST_ROWS if len(view.rows) > chart.MOST_ROWS else 0,
            "chart_name": name,
            "picture": Picture(
                title,
                facts.caption(names),
                provenance,
                exact_address(request, exactly),
                name,
            ),
        }
    return context


def _figure(view: ComparisonView, first: Histogram, second: Histogram, names: SideNames, digits: int) -> dict[str, Any]:
    """The chart, remembered as its numbers are: to shape it takes a third of the page's time.

    Only that of the rows that are shown if nobody asks for others: there is no end to what may be searched for.
    """
    usual = replace(view.query, top=DEFAULT_TOP, search="", sort=ComparisonQuery().sort)
    if view.query != usual:
        return chart.figure(first.version, view.rows, names, digits)
    key = f"{first.pk}:{second.pk}:{view.query.encoded()}"
    return cached(view.use_case, "comparison-chart", key, lambda: chart.figure(first.version, view.rows, names, digits))


def _element_language(view: ComparisonView, first: Histogram, second: Histogram) -> tuple[str, str]:
    """Language and direction of elements: those of the locale, if there is one."""
    neutral = first.version.normalization == "domain" or first.locale != second.locale
    if neutral or first.locale == UNDIVIDED:
        return UNDIVIDED, "auto"
    return language_tag(first.locale), direction(first.locale)


@login_required
@require_safe
def comparison_file(request: HttpRequest, slug: str, form: Literal["csv", "json"]) -> HttpResponseBase:
    """The same query, rows and order as on the page."""
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    try:
        document = comparison_view(found, ComparisonQuery.from_parameters(request.GET)).document()
    except QueryError as error:
        return HttpResponse(f"{error.field}: {error}", content_type="text/plain; charset=utf-8", status=400)
    if document is None:
        raise Http404(_("There is nothing to compare here."))
    record_viewing(person(request), found, form)
    headers = {"Content-Disposition": f'attachment; filename="{_name(document)}.{form}"'}
    if form == "csv":
        written = comparison_csv_lines(document)
        return StreamingHttpResponse(written, content_type="text/csv; charset=utf-8", headers=headers)
    return JsonResponse(document, json_dumps_params={"ensure_ascii": False}, headers=headers)


def _name(document: dict[str, Any]) -> str:
    sides = [str(document[side][part]) for side in ("first", "second") for part in ("locale", "first_day", "last_day")]
    return "-".join([document["use_case"], *sides])
