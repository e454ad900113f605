"""Files of what pages show: the same query, rows and order, and where all of it comes from."""

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from reports.access import use_cases
from reports.models import UseCase
from reports.results import QueryError, Table, can_write_parquet, csv_parts, parquet
from reports.viewings import record_viewing
from reports.web.pages.people import person

Form: TypeAlias = Literal["csv", "json", "parquet"]
FORMS: Final[dict[str, Form]] = {"CSV": "csv", "JSON": "json", "Parquet": "parquet"}
_PARQUET: Final = "application/vnd.apache.parquet"


class Export(NamedTuple):
    """A document to write, its content as a table, and the file's name without its ending."""

    document: dict[str, Any]
    table: Table
    name: str


def file_views(view: str) -> dict[str, str]:
    """The names of the views that give a file of what a view shows, by what they give."""
    return {label: f"{view}_{form}" for label, form in FORMS.items() if form != "parquet" or can_write_parquet()}


def check_form(form: Form) -> None:
    """Raise Http404 for a form that this site does not write."""
    if form == "parquet" and not can_write_parquet():
        raise Http404(_("This site does not write Parquet: its package pyarrow is not installed."))


def results_file(
    request: HttpRequest, slug: str, form: Form, find: Callable[[UseCase], Export | None], nothing: str
) -> HttpResponseBase:
    """Results of a use case as a file, for those who may see it. `nothing` says that there is nothing."""
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    check_form(form)
    try:
        export = find(found)
    except QueryError as error:
        words = _("%(name)s: %(value)s") % {"name": error.field, "value": error}
        return HttpResponse(words, content_type="text/plain; charset=utf-8", status=400)
    if export is None:
        raise Http404(nothing)
    record_viewing(person(request), found, form)
    return file_of(export, form)


def file_of(export: Export, form: Form) -> HttpResponseBase:
    response = _written(export, form)
    response.headers["Content-Disposition"] = f'attachment; filename="{export.name}.{form}"'
    return response


def _written(export: Export, form: Form) -> HttpResponseBase:
    if form == "csv":
        return StreamingHttpResponse(csv_parts(export.table), content_type="text/csv; charset=utf-8")
    if form == "parquet":
        return HttpResponse(parquet(export.table), content_type=_PARQUET)
    return JsonResponse(export.document, json_dumps_params={"ensure_ascii": False})
