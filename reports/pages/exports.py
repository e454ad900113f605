"""A histogram as a file: the same query, rows and order as on the page."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import use_cases
from reports.pages.people import person
from reports.results import (
    HistogramQuery,
    HistogramView,
    QueryError,
    csv_lines,
    histogram_document,
    histogram_view,
)
from reports.viewings import record_viewing


@login_required
@require_safe
def use_case_csv(request: HttpRequest, slug: str) -> HttpResponseBase:
    try:
        view = _view(request, slug)
    except QueryError as error:
        return _bad_request(error)
    document = _document(view)
    record_viewing(person(request), view.use_case, "csv")
    headers = {"Content-Disposition": f'attachment; filename="{_name(document)}.csv"'}
    return StreamingHttpResponse(csv_lines(document), content_type="text/csv; charset=utf-8", headers=headers)


@login_required
@require_safe
def use_case_json(request: HttpRequest, slug: str) -> HttpResponseBase:
    try:
        view = _view(request, slug)
    except QueryError as error:
        return _bad_request(error)
    document = _document(view)
    record_viewing(person(request), view.use_case, "json")
    headers = {"Content-Disposition": f'attachment; filename="{_name(document)}.json"'}
    return JsonResponse(document, json_dumps_params={"ensure_ascii": False}, headers=headers)


def _view(request: HttpRequest, slug: str) -> HistogramView:
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    return histogram_view(found, HistogramQuery.from_parameters(request.GET))


def _document(view: HistogramView) -> dict[str, object]:
    if view.histogram is None:
        raise Http404(_("No histogram is published for this window."))
    return histogram_document(view.histogram, [row.entry for row in view.rows])


def _name(document: dict[str, object]) -> str:
    return "-".join(str(document[part]) for part in ("use_case", "locale", "first_day", "last_day"))


def _bad_request(error: QueryError) -> HttpResponse:
    return HttpResponse(f"{error.field}: {error}", content_type="text/plain; charset=utf-8", status=400)
