"""Files of what pages show: the same query, rows and order, and where all of it comes from."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.results import Table, can_write_parquet, csv_parts, parquet
from reports.web.json_bytes import json_bytes

Form: TypeAlias = Literal["csv", "json", "parquet"]
FORMS: Final[dict[str, Form]] = {"CSV": "csv", "JSON": "json", "Parquet": "parquet"}
_PARQUET: Final = "application/vnd.apache.parquet"


class Export(NamedTuple):
    """A document to write, its content as a table, and the file's name without its ending."""

    document: dict[str, Any]
    table: Table
    name: str


def rows_table(document: Mapping[str, Any], rows: str, fields: Sequence[str], common: Mapping[str, Any]) -> Table:
    """Return the rows of a document as lines, with what they have in common behind each."""
    about = {name: value for name, value in document.items() if name != rows}
    lines = ([*(_plain(row.get(name)) for name in fields), *common.values()] for row in document[rows])
    return Table([*fields, *common], lines, about)


def _plain(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict) else value


class Download(NamedTuple):
    """A file of what is shown, with all its rows and digits."""

    label: str
    address: str


def downloads(view: str, *arguments: object, query: str = "") -> list[Download]:
    """Return the files that the views of this name give, all with the same query string."""
    forms = {label: form for label, form in FORMS.items() if form != "parquet" or can_write_parquet()}
    ending = f"?{query}" if query else ""
    return [Download(label, reverse(f"{view}_{form}", args=arguments) + ending) for label, form in forms.items()]


def as_file(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Answer 404 in the place of a view that gives a form which this site does not write."""

    @require_safe
    @wraps(view)
    def wrapped(request: HttpRequest, *arguments: Any, form: Form, **named: Any) -> HttpResponseBase:
        if form == "parquet" and not can_write_parquet():
            raise Http404(_("This site does not write Parquet: its package pyarrow is not installed."))
        return view(request, *arguments, form=form, **named)

    return wrapped


def file_of(export: Export, form: Form) -> HttpResponseBase:
    response = _written(export, form)
    response.headers["Content-Disposition"] = f'attachment; filename="{export.name}.{form}"'
    return response


def json_file(document: dict[str, Any], name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}.json"'}
    return HttpResponse(json_bytes(document), content_type="application/json", headers=headers)


def _written(export: Export, form: Form) -> HttpResponseBase:
    if form == "csv":
        return StreamingHttpResponse(csv_parts(export.table), content_type="text/csv; charset=utf-8")
    if form == "parquet":
        return HttpResponse(parquet(export.table), content_type=_PARQUET)
    return HttpResponse(json_bytes(export.document), content_type="application/json")
