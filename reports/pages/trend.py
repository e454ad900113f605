"""The page of a trend: elements of a locale over days, and its files."""

from typing import Any, Literal

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import use_cases
from reports.models import UseCase
from reports.numbers import day_range, whole
from reports.pages import trend_chart
from reports.pages.annotations import annotation_form, annotation_lines
from reports.pages.downloads import downloads, exact_address
from reports.pages.figures import Picture
from reports.pages.locales import direction, isolated, language_tag, locale_name
from reports.pages.people import person
from reports.pages.trend_controls import chosen, controls, exact, link, offers, page_parameters, with_element
from reports.pages.trend_states import nothing_to_show, notices
from reports.pages.trend_table import rows
from reports.results import NotInVersion, QueryError
from reports.results.trend import TrendView, trend_view
from reports.results.trend_document import trend_document, trend_lines
from reports.results.trend_elements import search
from reports.results.trend_query import TrendQuery
from reports.viewings import record_viewing


@login_required
@require_safe
def trend(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    try:
        view = _view(found, TrendQuery.from_parameters(request.GET), with_rejected=may_decide(request, found))
    except QueryError as error:
        context = {"use_case": found, "error": error, "field": _labels().get(error.field, error.field)}
        return render(request, "reports/bad_query.html", context, status=400)
    wanted = request.GET.get("add", "").strip()[:100]
    add: dict[str, object] = {}
    if wanted and view.version is not None:
        try:
            elements = search(view.version, view.locale, wanted)
            if len(elements) == 1:
                return redirect(f"{request.path}{link(with_element(view, elements[0]), view)}")
            add = {"add": wanted, "offers": offers(view, elements)}
        except QueryError as error:
            add = {"add": wanted, "add_error": str(error)}
    elif dict(request.GET.lists()) != page_parameters(view.query, view):
        # One view, one address: without the defaults that a form sends.
        return redirect(f"{request.path}{link(view.query, view)}".rstrip("?"))
    if not view.is_empty:
        record_viewing(person(request), found, "page")
    return render(request, "reports/trend.html", _context(request, found, view) | add)


def may_decide(request: HttpRequest, found: UseCase) -> bool:
    """Whether somebody may decide about words, and so see those that were rejected."""
    return use_cases(person(request), "edit").filter(pk=found.pk).exists()


def _view(found: UseCase, query: TrendQuery, *, with_rejected: bool) -> TrendView:
    """What there is to see, without what the version does not have: a form sends that along if another is chosen."""
    while True:
        try:
            return trend_view(found, query, with_rejected=with_rejected)
        except NotInVersion as error:
            query = query.without(error.field)


def _labels() -> dict[str, str]:
    """What the form calls the parameters."""
    return {
        "locale": _("Locale"),
        "element": _("Elements"),
        "from": _("From"),
        "to": _("To"),
        "days": _("Days"),
        "step": _("Step"),
        "version": _("Version"),
    }


def _context(request: HttpRequest, found: UseCase, view: TrendView) -> dict[str, object]:
    context: dict[str, object] = {
        "use_case": found,
        "view": view,
        "query": view.query,
        "controls": controls(view),
        "minimum": whole(found.minimum_reports),
        "words": view.version is not None and view.version.discovery is not None,
    }
    if view.version is None or view.first is None or view.last is None or view.is_empty:
        return context | {"nothing": nothing_to_show(view)}
    window = day_range(view.first, view.last)
    context |= {
        "place": locale_name(view.locale),
        "window": window,
        "chosen": chosen(view),
        "rows": rows(view.slots, view.series, view.revisions),
        "notices": notices(view),
        "element_lang": language_tag(view.locale),
        "element_dir": direction(view.locale),
        "annotations": annotation_lines(person(request), found, view.annotations),
        "annotation_form": annotation_form(person(request), found),
        "back": link(view.query, view).removeprefix("?"),
        "downloads": downloads(found.slug, exact(view), CSV="trend_csv", JSON="trend_json"),
        "exactly": exact_address(request, exact(view)),
    }
    if view.series:
        context |= {
            "chart": trend_chart.figure(view.series, view.annotations),
            "chart_summary": summary(view, window),
            "chart_name": f"{found.slug}-{view.locale}-trend",
            "picture": _picture(request, view, window),
        }
    return context


def summary(view: TrendView, window: str) -> str:
    """One sentence for those who do not see the chart."""
    names = ", ".join(series.element.name or isolated(series.element.display) for series in view.series)
    return _(
        "Line chart of estimated shares in %(place)s with 95 %% intervals, %(window)s: %(elements)s; the table has the"
        " same numbers."
    ) % {"place": locale_name(view.locale), "window": window, "elements": names}


def _picture(request: HttpRequest, view: TrendView, window: str) -> Picture:
    use_case = view.use_case
    return Picture(
        title=_("%(title)s: trend, %(place)s, %(window)s")
        % {"title": use_case.title, "place": locale_name(view.locale), "window": window},
        caption=caption(),
        provenance=provenance(view),
        address=exact_address(request, exact(view)),
        name=f"{use_case.slug}-{view.locale}-trend",
    )


def caption() -> str:
    """How to read it."""
    return _(
        # xgettext:no-python-format
        "Estimated share of reports, not of people. Bands: 95 % intervals of each window by itself, adjusted as in its"
        " histogram. Open triangles: below the threshold T, at most so much."
    )


def provenance(view: TrendView) -> list[tuple[str, str]]:
    """Where the numbers come from."""
    version = view.version
    if version is None:
        return []
    parameters = version.mechanism.wire_parameters().items()
    made = [slot.histogram.generated_at for slot in view.slots if slot.histogram is not None]
    return [
        (_("Use case"), view.use_case.title),
        (_("Version"), str(version.number)),
        (_("Algorithm"), version.algorithm),
        *((name if name != "epsilon" else "ε", str(value)) for name, value in parameters),
        (_("n, of all windows together"), whole(sum(slot.histogram.n for slot in view.slots if slot.histogram))),
        (_("Newest window generated"), _("%(time)s UTC") % {"time": date_format(max(made), "DATETIME_FORMAT")}),
    ]


@login_required
@require_safe
def trend_file(request: HttpRequest, slug: str, form: Literal["csv", "json"]) -> HttpResponseBase:
    """The trend as a file: the same windows, elements and order as on the page."""
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    try:
        query = TrendQuery.from_parameters(request.GET)
        document = trend_document(trend_view(found, query, with_rejected=may_decide(request, found)))
    except QueryError as error:
        return HttpResponse(f"{error.field}: {error}", content_type="text/plain; charset=utf-8", status=400)
    if document is None:
        raise Http404(_("No histogram is published for these days."))
    record_viewing(person(request), found, form)
    name = "-".join((found.slug, document["locale"], "trend", document["first_day"], document["last_day"]))
    return as_file(document, form, name)


def as_file(document: dict[str, Any], form: Literal["csv", "json"], name: str) -> HttpResponseBase:
    headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
    if form == "csv":
        return StreamingHttpResponse(trend_lines(document), content_type="text/csv; charset=utf-8", headers=headers)
    return JsonResponse(document, json_dumps_params={"ensure_ascii": False}, headers=headers)
