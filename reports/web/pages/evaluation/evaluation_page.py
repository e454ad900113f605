"""An evaluation: how far it is, what it found, and what may be done with it; the same as files."""

import datetime
import math
import uuid
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from aggregation.evaluation import Grid
from reports.access import evaluations, may_steer, steered_evaluations
from reports.evaluation import (
    TooMany,
    cancel_evaluation,
    check_unfinished,
    delete_evaluation,
    document_of,
    grid_of,
    is_another_at_work,
)
from reports.evaluation.answers import answers, counts_name, epsilon_text, usual_epsilon
from reports.evaluation.cell_facts import SORTS, CellFacts, facts_of, ordered
from reports.evaluation.parameter_words import ESTIMATORS
from reports.formatting import day_range, duration, whole
from reports.jobs import progress_of, retry
from reports.models import Evaluation
from reports.viewings import record_once_a_day, record_viewing
from reports.web.pages.evaluation.evaluation_charts import charts
from reports.web.pages.evaluation.evaluation_table import (
    cells_document,
    cells_table,
    file_table,
    rank_headings,
    rank_rows,
    table,
)
from reports.web.pages.exports import Export, Form, downloads, file_of
from reports.web.pages.locales import locale_name
from reports.web.pages.people import person
from reports.web.pages.provenance_facts import Facts, asked


def _found(request: HttpRequest, pk: uuid.UUID) -> Evaluation:
    return get_object_or_404(evaluations(person(request)).select_related("use_case", "requested_by"), pk=pk)


def _steered(request: HttpRequest, pk: uuid.UUID) -> Evaluation:
    """Return an evaluation that the reader may steer; for others it does not exist."""
    return get_object_or_404(steered_evaluations(person(request)), pk=pk)


@require_safe
@never_cache
def evaluation(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    found = _found(request, pk)
    _record(request, found, "page")
    document, grid = document_of(found), grid_of(found)
    cells, chosen, answered = _answered(request, document, grid)
    context = {**_progress(request, found), **answered}
    if context["progress"].finished:
        address = request.build_absolute_uri(reverse("evaluation", args=[found.pk]))
        provenance = _provenance(found, document)
        cells_query = _query({"first": str(context["first"]), "sort": context["sort"]})
        at_chosen = [cell for cell in cells if cell.epsilon == chosen]
        context |= {
            "charts": charts(grid, at_chosen, provenance=provenance, address=address) if at_chosen else [],
            "downloads": downloads("evaluation", found.pk, query="" if chosen is None else f"epsilon={chosen:g}"),
            "downloads_of_cells": downloads("evaluation_cells", found.pk, query=cells_query.removeprefix("?")),
            "whole": reverse("evaluation_json", args=[found.pk]),
            "rank_headings": rank_headings(),
            "ranks": rank_rows(at_chosen),
            "provenance": provenance,
            "exactly": address,
        }
    return render(request, "reports/evaluation.html", context)


def _answered(
    request: HttpRequest, document: dict[str, Any], grid: Grid
) -> tuple[list[CellFacts], float | None, dict[str, Any]]:
    """The cells that are done, the ε that is answered for, and what templates of the answer take."""
    first = _first(request.GET.get("first", ""), grid.top)
    cells = facts_of(document, first)
    wanted, sort = request.GET.get("epsilon", ""), _sort(request)
    values = sorted({cell.epsilon for cell in cells})
    chosen = next((each for each in values if f"{each:g}" == wanted), usual_epsilon(cells))
    steering = {"first": str(first), "sort": sort, "epsilon": wanted}
    several = values if len(values) > 1 else []
    return (
        cells,
        chosen,
        {
            "answer": answers(cells, chosen),
            "fixed": document["family"] == "fixed",
            "values": [(_query(steering, epsilon=f"{each:g}"), epsilon_text(each), each == chosen) for each in several],
            "first": first,
            "most": grid.top,
            "kept": {name: value for name, value in steering.items() if value and name != "first"},
            "sort": sort,
            "table": table(
                ordered(cells, sort or SORTS[0]),
                sort or SORTS[0],
                {name: _query(steering, sort=name) for name in SORTS},
            ),
            "done": len(cells),
        },
    )


def _first(wanted: str, most: int) -> int:
    """Return how many first places matter to the reader; all that were read if nothing else is asked for."""
    return min(max(int(wanted), 1), most) if wanted.isdecimal() and len(wanted) < 10 else most


def _sort(request: HttpRequest) -> str:
    sort = request.GET.get("sort", "")
    return sort if sort in SORTS else ""


def _query(steering: Mapping[str, str], **changes: str) -> str:
    return "?" + urlencode({name: value for name, value in {**steering, **changes}.items() if value})


def _record(request: HttpRequest, found: Evaluation, what: Any) -> None:
    """Note who looks at an evaluation of a published shape: its input tells what was published."""
    if found.use_case is not None:
        record_viewing(person(request), found.use_case, what)


@require_safe
@never_cache
def progress(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The part of the page that changes."""
    found = _found(request, pk)
    if found.use_case is not None:
        # Not each time: an open page asks by itself.
        record_once_a_day(person(request), [found.use_case], "page")
    _cells, _epsilon, answered = _answered(request, document_of(found), grid_of(found))
    context = {**_progress(request, found), **answered}
    return render(request, "reports/_evaluation_progress.html", context)


def _progress(request: HttpRequest, found: Evaluation) -> dict[str, Any]:
    progress = progress_of(found)
    waits = not progress.finished and not progress.held and found.waits_until is None
    return {
        "evaluation": found,
        "progress": progress,
        "percent": progress.percent,
        "remaining": "" if progress.remaining is None else _left(progress.remaining),
        "behind_another": waits and is_another_at_work(found),
        "states": Evaluation.State,
        "steers": may_steer(person(request), found),
        "total": len(grid_of(found).cells),
        "chart": _chart(found),
    }


def _chart(found: Evaluation) -> dict[str, str] | None:
    """The chart that an evaluation is about: its window in words, and its address."""
    if found.use_case is None or not found.window:
        return None
    first, last = (datetime.date.fromisoformat(found.window[name]) for name in ("from", "to"))
    return {
        "title": found.use_case.title,
        "locale": locale_name(found.window["locale"]),
        "days": day_range(first, last),
        "address": f"{reverse('use_case', args=[found.use_case.slug])}?{urlencode(found.window)}",
    }


def _left(remaining: datetime.timedelta) -> str:
    """In whole minutes, rounded up: it is an estimate, and read aloud whenever it is another one."""
    minutes = math.ceil(remaining.total_seconds() / 60)
    if minutes <= 1:
        return _("less than a minute left")
    if minutes < 60:
        return _("about %(minutes)s min left") % {"minutes": minutes}
    return _("about %(time)s left") % {"time": duration(datetime.timedelta(minutes=minutes))}


@require_POST
def cancel(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    cancel_evaluation(_steered(request, pk))
    return redirect("evaluation", pk)


@require_POST
def retry_evaluation(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    evaluation = _steered(request, pk)
    try:
        check_unfinished(cast(User, request.user))
    except TooMany as error:
        messages.error(
            request, format_html('{} <a href="{}#earlier-title">{}</a>', error, reverse("evaluations"), _("See yours"))
        )
    else:
        retry(evaluation)
    return redirect("evaluation", pk)


@require_POST
def share(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    found = _steered(request, pk)
    found.shared = not found.shared
    found.save(update_fields=["shared"])
    return redirect("evaluation", pk)


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Asks first: there is no way back."""
    found = _steered(request, pk)
    if request.method != "POST":
        return render(request, "reports/delete_evaluation.html", {"evaluation": found})
    delete_evaluation(found)
    messages.success(request, _("The evaluation is deleted."))
    return redirect("evaluations")


def evaluation_file(request: HttpRequest, pk: uuid.UUID, form: Form) -> HttpResponseBase:
    found = _found(request, pk)
    _record(request, found, form)
    document = _with_origin(request, found)
    if epsilon := request.GET.get("epsilon"):
        document["cells"] = [cell for cell in document["cells"] if f"{cell['epsilon']:g}" == epsilon]
    return file_of(Export(document, file_table(document), f"evaluation-{found.created_at:%Y-%m-%d}"), form)


def cells_file(request: HttpRequest, pk: uuid.UUID, form: Form) -> HttpResponseBase:
    """The table of all that was tried, at all ε, as it is sorted."""
    found = _found(request, pk)
    _record(request, found, form)
    document = _with_origin(request, found)
    cells = facts_of(document, _first(request.GET.get("first", ""), grid_of(found).top))
    summed_up = cells_document(document, ordered(cells, _sort(request) or SORTS[0]))
    return file_of(Export(summed_up, cells_table(summed_up), f"evaluation-cells-{found.created_at:%Y-%m-%d}"), form)


def _with_origin(request: HttpRequest, found: Evaluation) -> dict[str, Any]:
    """The document of an evaluation with where it comes from."""
    address = request.build_absolute_uri(reverse("evaluation", args=[found.pk]))
    origin = {"evaluation": str(found.pk), "asked_at": found.created_at.isoformat(timespec="seconds"), "page": address}
    return {**document_of(found), "provenance": origin}


def _provenance(found: Evaluation, document: dict[str, Any]) -> Facts:
    families = {"fixed": _("the same in all repetitions"), "fresh": _("others in each repetition")}
    facts = [
        *asked(found, _("the command line, or a person who has been deleted since")),
        *((_("Use case"), found.use_case.slug) for _one in [found] if found.use_case is not None),
    ]
    for own in document["input"]["distributions"]:
        words = _("n = %(n)s, %(elements)s elements, %(hash)s")
        text = words % {"n": whole(own["n"]), "elements": whole(own["N"]), "hash": own["hash"][:19] + "…"}
        facts.append((counts_name(own["name"]), text))
    estimators = dict.fromkeys(name for shape in grid_of(found).shapes for name in shape.estimators)
    exact = _("one by one") if found.exact_reports else _("drawn by their exact distribution where a mechanism can")
    return [
        *facts,
        (_("Estimates"), ", ".join(str(ESTIMATORS[name]) for name in estimators)),
        (_("Repetitions"), whole(document["R"])),
        (_("Hash functions"), families[document["family"]]),
        (_("Reports"), exact),
        (_("Seed"), str(document["seed"])),
    ]
