"""A histogram as a file: the same query, rows and order as on the page."""

from typing import Any, Final, Literal, TypeAlias

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import use_cases
from reports.pages.people import person
from reports.results import HistogramQuery, QueryError, csv_lines, histogram_view
from reports.results.parquet import can_write_parquet, parquet
from reports.viewings import record_viewing

Form: TypeAlias = Literal["csv", "json", "parquet"]
_PARQUET: Final = "application/vnd.apache.parquet"


def file_views() -> dict[str, str]:
    """The names of the views that give a file, by what they give."""
    found = {"CSV": "use_case_csv", "JSON": "use_case_json"}
    return found | {"Parquet": "use_case_parquet"} if can_write_parquet() else found


@login_required
@require_safe
def use_case_file(request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    if form == "parquet" and not can_write_parquet():
        raise Http404(_("This site does not write Parquet: its package pyarrow is not installed."))
    try:
        document = histogram_view(found, HistogramQuery.from_parameters(request.GET)).document()
    except QueryError as error:
        return HttpResponse(f"{error.field}: {error}", content_type="text/plain; charset=utf-8", status=400)
    if document is None:
        raise Http404(_("No histogram is published for this window."))
    record_viewing(person(request), found, form)
    response = _file(document, form)
    response.headers["Content-Disposition"] = f'attachment; filename="{_name(document)}.{form}"'
    return response


def _file(document: dict[str, Any], form: Form) -> HttpResponseBase:
    if form == "csv":
        return StreamingHttpResponse(csv_lines(document), content_type="text/csv; charset=utf-8")
    if form == "parquet":
        return HttpResponse(parquet(document), content_type=_PARQUET)
    return JsonResponse(document, json_dumps_params={"ensure_ascii": False})


def _name(document: dict[str, Any]) -> str:
    return "-".join(str(document[part]) for part in ("use_case", "locale", "first_day", "last_day"))
