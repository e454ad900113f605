"""Asking for an evaluation, and those that were asked for."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from aggregation import ParameterError
from aggregation.evaluation import DEFAULTS
from reports.access import evaluations, use_cases
from reports.evaluation import PublishedShape, TooMany, TooMuch, order_evaluation, published_shape
from reports.formatting import day_range, plain, whole
from reports.mechanisms import title_of
from reports.models import Evaluation, UseCase, Version
from reports.results import HistogramQuery, QueryError
from reports.viewings import record_viewing
from reports.web.pages.evaluation.evaluation_form import EvaluationForm
from reports.web.pages.people import person
from reports.web.query_strings import key_of

_MOST_LISTED = 20


@require_http_methods(["GET", "HEAD", "POST"])
def all_evaluations(request: HttpRequest) -> HttpResponse:
    use_case, shape = _use_case(request)
    given = request.GET.dict()
    if version := _version(request):
        use_case, given = version.use_case, _parameters(version)
    if request.method == "POST":
        form = EvaluationForm(request.POST, request.FILES, shape=shape, given=given)
        if form.is_valid() and (found := _order(request, form, use_case)):
            return found
    else:
        form = EvaluationForm(shape=shape, given=given)
    own = evaluations(person(request)).filter(requested_by=person(request)).select_related("use_case")
    context: dict[str, Any] = {
        "form": form,
        "use_case": use_case,
        "shape": shape,
        "window": day_range(shape.first_day, shape.last_day) if shape is not None else "",
        "earlier": [(one, in_few_words(one)) for one in own.defer("document", "lists")[:_MOST_LISTED]],
    }
    return render(request, "reports/evaluations.html", context, status=400 if form.errors else 200)


def _use_case(request: HttpRequest) -> tuple[UseCase | None, PublishedShape | None]:
    """The use case that the address names, and its published shape in the window named, which counts as seen."""
    if not (slug := request.GET.get("use_case")):
        return None, None
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    window = {name: request.GET.get(name, "") for name in ("locale", "from", "to", "version")}
    try:
        shape = published_shape(found, HistogramQuery.from_parameters(window))
    except QueryError as error:
        raise Http404(str(error)) from error
    if shape is not None:
        record_viewing(person(request), found, "page")
    return found, shape


def _version(request: HttpRequest) -> Version | None:
    """The version that the address names, of a use case that the reader may edit; it may be a draft."""
    if not (key := request.GET.get("parameters_of", "")):
        return None
    allowed = Version.objects.filter(use_case__in=use_cases(person(request), "edit"))
    return get_object_or_404(allowed.select_related("use_case"), pk=key_of(key))


def _parameters(version: Version) -> dict[str, str]:
    """Initial values of the form: the version's parameters, and the size of its dictionary."""
    own = version.mechanism.encoded_parameters().items()
    revision = version.dictionary_revisions.order_by("-number").first()
    size = {"elements": str(revision.size)} if revision is not None and revision.size else {}
    return {"algorithm": version.algorithm, **{name: str(value) for name, value in own if name != "seed"}, **size}


def _order(request: HttpRequest, form: EvaluationForm, use_case: UseCase | None) -> HttpResponseRedirect | None:
    try:
        made = order_evaluation(
            form.grid(),
            form.load,
            seed=form.cleaned_data["seed"],
            exact_reports=form.cleaned_data["exact_reports"],
            user=person(request),
            use_case=use_case,
            window=form.window(),
        )
    except TooMany as error:
        form.add_error(None, format_html('{} <a href="#earlier-title">{}</a>', error, _("See yours")))
    except TooMuch as error:
        form.add_error(error.field if error.field in form.fields else None, error.words)
    except ParameterError as error:
        form.refuse(error)
    else:
        return redirect("evaluation", made.pk)
    return None


def in_few_words(evaluation: Evaluation) -> str:
    """Elements, reports, ε and mechanisms of a grid, without reading its lists."""
    return " · ".join(_facts(evaluation))


def _facts(evaluation: Evaluation) -> Iterator[str]:
    grid = {**DEFAULTS, **evaluation.grid}
    is_invented = any(isinstance(each, str) for each in grid["distributions"])
    # A list has its own elements and, unless the grid says how many, its own reports.
    if is_invented:
        yield _("%(count)s elements") % {"count": whole(grid["elements"])}
    else:
        yield _("elements of a list")
    if is_invented or "reports" in evaluation.grid:
        yield _("%(count)s reports") % {"count": whole(grid["reports"])}
    epsilon = grid["epsilon"]
    values = epsilon if isinstance(epsilon, list) else [epsilon]
    yield f"ε = {', '.join(plain(Decimal(str(value))) for value in values)}"
    yield ", ".join(dict.fromkeys(title_of(each["algorithm"]) for each in grid["mechanisms"]))
