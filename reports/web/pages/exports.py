"""Files of what pages show: the same query, rows and order, and where all of it comes from."""

from typing import Any, Final, Literal, NamedTuple, TypeAlias

from django.http import Http404, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from reports.results import Table, can_write_parquet, csv_parts, parquet

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
