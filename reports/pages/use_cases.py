"""The page of a use case: a histogram, or why there is none."""

from dataclasses import replace

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import use_cases
from reports.models import UseCase
from reports.pages import chart
from reports.pages.controls import DEFAULT_TOP, controls, export_parameters, link, page_parameters
from reports.pages.facts import about, pending_reports
from reports.pages.locales import direction, language_tag
from reports.pages.numbers import whole
from reports.pages.people import person
from reports.pages.table import headings, lines
from reports.results import HistogramQuery, HistogramView, QueryError, histogram_view
from reports.viewings import record_viewing


@login_required
@require_safe
def use_case(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    try:
        view = histogram_view(found, _page_query(request))
    except QueryError as error:
        return render(request, "reports/bad_query.html", {"use_case": found, "error": error}, status=400)
    if request.GET.dict() != page_parameters(view.query, view):
        # One view, one address: without the defaults that a form sends.
        return redirect(f"{request.path}{link(view.query, view)}".rstrip("?"))
    if view.histogram is not None:
        record_viewing(person(request), found, "page")
    return render(request, "reports/use_case.html", _context(request, found, view))


def _page_query(request: HttpRequest) -> HistogramQuery:
    query = HistogramQuery.from_parameters(request.GET)
    query = replace(query, top=query.top or DEFAULT_TOP)
    if query.top is not None and query.top > chart.MOST_BARS:
        raise QueryError("top", _("A page shows at most %(most)s elements.") % {"most": chart.MOST_BARS})
    return query


def _context(request: HttpRequest, found: UseCase, view: HistogramView) -> dict[str, object]:
    owner = use_cases(person(request), "edit").filter(pk=found.pk).exists()
    context: dict[str, object] = {
        "use_case": found,
        "view": view,
        "query": view.query,
        "controls": controls(view),
        "owner": owner,
        "minimum": whole(found.minimum_reports),
        "pending_reports": pending_reports(view),
    }
    if view.histogram is None:
        return context
    facts = about(view, view.histogram)
    context |= {
        "about": facts,
        "lines": lines(view),
        "headings": headings(view),
        "exports": export_parameters(view),
        "element_lang": language_tag(view.locale),
        "element_dir": direction(view.locale),
    }
    if view.rows:
        by_rank = sorted(view.rows, key=lambda row: row.entry.rank)
        context |= {
            "chart": chart.figure(view.histogram, by_rank),
            "chart_summary": chart.summary(view.histogram, by_rank, facts.locale),
        }
    return context
