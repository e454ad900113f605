"""The regression matrix of a release beside that of an earlier one: what is shown wrongly, and how long it takes."""

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from reports.evaluation import matrix_of, releases
from reports.evaluation.answers import counts_name, epsilon_text
from reports.formatting import rounded, whole
from reports.mechanisms import title_of
from reports.results import Table as FileTable
from reports.web.pages.exports import Export, Form, downloads, file_of
from reports.web.pages.provenance_facts import Facts
from reports.web.pages.tables import Cell, Heading, Table, number

# Name, heading, decimals, and factor of what is a part of a whole.
_MEASURES: Final = (
    ("false_elements", gettext_lazy("False elements, each histogram"), 2, 1),
    ("missed", gettext_lazy("Missed, %"), 1, 100),
    ("total_variation", gettext_lazy("Total variation, %"), 1, 100),
    ("coverage", gettext_lazy("In their intervals, %"), 1, 100),
    ("seconds", gettext_lazy("Seconds"), 3, 1),
)
# Columns that identify a row.
_KEYS: Final = ("distribution", "n", "N", "mechanism", "parameters", "epsilon")
# In standard errors: so far apart are two releases by chance in one of a million comparisons. Seconds depend on the
# machine and are never marked.
_CLEAR: Final = 4.892


@require_safe
def regression(request: HttpRequest) -> HttpResponse:
    known, release = releases(), _release(request)
    earlier = known[known.index(release) + 1 :]
    before = {_key(row): row for row in matrix_of(earlier[0])["rows"]} if earlier else {}
    matrix = matrix_of(release)
    rows = [_row(row, before.get(_key(row))) for row in matrix["rows"]]
    context = {
        "release": release,
        "releases": known,
        "earlier": earlier[0] if earlier else "",
        "changed": sum(any(isinstance(cell, Cell) and cell.badges for cell in row) for row in rows),
        "repetitions": matrix["repetitions"],
        "table": Table(_("What people would be shown, and how much of it is wrong"), _headings(), rows, "matrix"),
        "downloads": downloads("regression", query=f"release={release}"),
        "provenance": _provenance(matrix),
        "exactly": _address(request, release),
    }
    return render(request, "reports/regression.html", context)


def _release(request: HttpRequest) -> str:
    known = releases()
    release = request.GET.get("release") or known[0]
    if release not in known:
        raise Http404
    return release


def _address(request: HttpRequest, release: str) -> str:
    return request.build_absolute_uri(f"{reverse('regression')}?release={release}")


def _provenance(matrix: Mapping[str, Any]) -> Facts:
    sizes = dict.fromkeys((row["n"], row["N"]) for row in matrix["rows"])
    words = _("%(elements)s of %(reports)s reports")
    return [
        (_("Release"), matrix["release"]),
        (_("Measured by"), "make regression"),
        (_("Repetitions"), _("%(count)s, with hash functions of their own") % {"count": whole(matrix["repetitions"])}),
        (_("Seed"), str(matrix["seed"])),
        (_("Elements"), ", ".join(words % {"elements": whole(size), "reports": whole(n)} for n, size in sizes)),
    ]


def regression_file(request: HttpRequest, form: Form) -> HttpResponseBase:
    """The matrix of a release."""
    release = _release(request)
    document = {**matrix_of(release), "address": _address(request, release)}
    return file_of(Export(document, _file_table(document), f"regression-{release}"), form)


def _file_table(document: Mapping[str, Any]) -> FileTable:
    """A line for each row of the matrix, with what they have in common behind."""
    names = [name for name, *_rest in _MEASURES]
    about = {name: value for name, value in document.items() if name != "rows"}
    columns = [*_KEYS, *(column for name in names for column in (name, f"{name}_error")), *about]
    lines = (
        [
            *(json.dumps(row[name]) if name == "parameters" else row[name] for name in _KEYS),
            *(row[name][part] for name in names for part in ("value", "error")),
            *about.values(),
        ]
        for row in document["rows"]
    )
    return FileTable(columns, lines, about)


def _headings() -> list[Heading]:
    named = [Heading(_("Input")), number(_("Reports")), Heading(_("Parameters")), number("ε")]
    return [*named, *(number(str(label)) for _name, label, _digits, _factor in _MEASURES)]


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in _KEYS)


def _row(row: Mapping[str, Any], before: Mapping[str, Any] | None) -> list[Cell | str]:
    parameters = ", ".join(f"{name}\xa0=\xa0{value}" for name, value in row["parameters"].items())
    return [
        counts_name(row["distribution"]),
        whole(row["n"]),
        f"{title_of(row['mechanism'])}, {parameters}",
        epsilon_text(row["epsilon"]),
        *(
            _cell(row[name], None if before is None or name == "seconds" else before[name], digits, factor)
            for name, _label, digits, factor in _MEASURES
        ),
    ]


def _cell(own: Mapping[str, float], before: Mapping[str, float] | None, digits: int, factor: int) -> Cell:
    # With no-break spaces: a number and its error stay together.
    text = f"{rounded(factor * own['value'], digits)}\xa0±\xa0{rounded(factor * own['error'], digits)}"
    if before is None or abs(own["value"] - before["value"]) <= _CLEAR * math.hypot(own["error"], before["error"]):
        return Cell(text)
    was = _("before: %(value)s") % {"value": rounded(factor * before["value"], digits)}
    return Cell(text, badges=[_("changed")], note=was)
