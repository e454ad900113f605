"""The regression matrix of a release beside that of an earlier one: what is shown wrongly, and how long it takes."""

import math
from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from reports.evaluation import matrix_of, releases
from reports.formatting import rounded, whole
from reports.mechanisms import name_of
from reports.web.pages.evaluation.evaluation_answer import epsilon_text, input_name
from reports.web.pages.tables import Cell, Heading, Table, number

# Name, heading, decimals, and factor of what is a part of a whole.
_MEASURES: Final = (
    ("false_elements", gettext_lazy("False elements, each histogram"), 2, 1),
    ("missed", gettext_lazy("Missed, %"), 1, 100),
    ("total_variation", gettext_lazy("Total variation, %"), 1, 100),
    ("coverage", gettext_lazy("In their intervals, %"), 1, 100),
    ("seconds", gettext_lazy("Seconds"), 3, 1),
)
# In standard errors: so far apart are two releases by chance in one of a million comparisons. Seconds depend on the
# machine and are never marked.
_CLEAR: Final = 4.892


@login_required
@require_safe
def regression(request: HttpRequest) -> HttpResponse:
    known = releases()
    release = request.GET.get("release") or known[0]
    if release not in known:
        raise Http404
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
        "seed": matrix["seed"],
        "table": Table(_("What people would be shown, and how much of it is wrong"), _headings(), rows, "matrix"),
    }
    return render(request, "reports/regression.html", context)


def _headings() -> list[Heading]:
    named = [Heading(_("Input")), number(_("Reports")), Heading(_("Parameters")), number("ε")]
    return [*named, *(number(str(label)) for _name, label, _digits, _factor in _MEASURES)]


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (row["distribution"], row["n"], row["N"], row["mechanism"], str(row["parameters"]), row["epsilon"])


def _row(row: Mapping[str, Any], before: Mapping[str, Any] | None) -> list[Cell | str]:
    parameters = ", ".join(f"{name} = {value}" for name, value in row["parameters"].items())
    return [
        input_name(row["distribution"]),
        whole(row["n"]),
        f"{name_of(row['mechanism'])}, {parameters}",
        epsilon_text(row["epsilon"]),
        *(
            _cell(row[name], None if before is None or name == "seconds" else before[name], digits, factor)
            for name, _label, digits, factor in _MEASURES
        ),
    ]


def _cell(own: Mapping[str, float], before: Mapping[str, float] | None, digits: int, factor: int) -> Cell:
    text = f"{rounded(factor * own['value'], digits)} ± {rounded(factor * own['error'], digits)}"
    if before is None or abs(own["value"] - before["value"]) <= _CLEAR * math.hypot(own["error"], before["error"]):
        return Cell(text)
    was = _("before: %(value)s") % {"value": rounded(factor * before["value"], digits)}
    return Cell(text, badges=[_("changed")], note=was)
