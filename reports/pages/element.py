"""The page of an element: all locales, all days."""

from typing import Literal
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import use_cases
from reports.models import UseCase
from reports.numbers import day_range, whole
from reports.pages import element_chart, trend_chart
from reports.pages.downloads import downloads, exact_address
from reports.pages.element_links import element_parameters
from reports.pages.element_table import day_rows, place_lines
from reports.pages.figures import MOST_SERIES, Picture
from reports.pages.locales import UNDIVIDED, isolated, language_tag, locale_name
from reports.pages.people import person
from reports.pages.trend import as_file, may_decide
from reports.pages.trend_controls import RANGES, step_labels
from reports.results import QueryError
from reports.results.element import ElementView, element_view
from reports.results.names import colourful
from reports.results.trend_query import DEFAULT_DAYS, TrendQuery
from reports.viewings import record_viewing

# In the table of days, as in a month of fifty locales or a quarter of sixteen: more would take its time to load, and
# files have all.
MOST_POINTS = 1500


@login_required
@require_safe
def element(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    try:
        query = TrendQuery.from_parameters(request.GET)
        view = element_view(found, query, most_points=MOST_POINTS, with_rejected=may_decide(request, found))
    except QueryError as error:
        context = {"use_case": found, "error": error, "field": error.field}
        return render(request, "reports/bad_query.html", context, status=400)
    if not query.elements:
        # All of them, then.
        return redirect("use_case", slug)
    if view is None:
        context = {"use_case": found, "wanted": query.elements[0]}
        return render(request, "reports/no_element.html", context, status=404)
    parameters = _parameters(view)
    if dict(request.GET.items()) != parameters or len(request.GET.getlist("element")) != 1:
        return redirect(f"{request.path}?{urlencode(parameters)}")
    if not view.is_empty:
        record_viewing(person(request), found, "page")
    return render(request, "reports/element.html", _context(request, found, view))


def _parameters(view: ElementView, days: int | None = None, step: int | None = None) -> dict[str, str]:
    """The query string: the element, and what is not as it would be without it."""
    version = view.version.number if view.version != view.default else None
    found = element_parameters(view.element.text, version)
    if (step or view.step) != (7 if view.version.discovery is not None else 1):
        found["step"] = str(step or view.step)
    if step is not None:
        # Of as many days as are usual for it.
        return found
    if days is None and view.query.first is not None:
        return found | {name: values[0] for name, values in view.query.parameters().items() if name in ("from", "to")}
    chosen = days or view.query.days or DEFAULT_DAYS[view.step]
    return found | ({"days": str(chosen)} if chosen != DEFAULT_DAYS[view.step] else {})


def _context(request: HttpRequest, found: UseCase, view: ElementView) -> dict[str, object]:
    name = view.element.name or isolated(view.element.display)
    context: dict[str, object] = {
        "use_case": found,
        "view": view,
        "element": view.element,
        "element_name": name,
        # Only where it is not what one sees.
        "counted_as": view.element.text if colourful(view.element.text) != view.element.display else "",
        # It is written in one language only where there is one locale.
        "element_lang": language_tag(view.version.locales[0]) if len(view.version.locales) == 1 else UNDIVIDED,
        "places": place_lines(view),
        "words": view.version.discovery is not None,
        "category_link": f"?{urlencode({'category': view.element.category})}" if view.element.category else "",
        "variants": [
            (each, f"?{urlencode(element_parameters(each.text, view.query.version))}")
            for each in view.variants
            if each != view.element
        ],
        "minimum": whole(found.minimum_reports),
        "downloads": downloads(found.slug, urlencode(_full(view)), CSV="element_csv", JSON="element_json"),
        "exactly": exact_address(request, urlencode(_full(view))),
    }
    if any(place.share is not None for place in view.places):
        context |= {
            "chart": element_chart.figure(view.places),
            "chart_summary": _summary(view, name),
            "chart_name": f"{found.slug}-element-locales",
            "picture": _picture(request, view, name, _("by locale")),
        }
    if view.first is None or view.last is None or view.is_empty:
        return context
    # Those of the largest shares; the table has all of them.
    drawn = [each for each in view.series if any(point.numbers is not None for point in each.points)][:MOST_SERIES]
    drawn = [each for each in drawn if each.slots]
    context |= {
        "window": day_range(view.first, view.last),
        "ranges": _ranges(view),
        "steps": _steps(view),
        "days": day_rows(view),
        "locales": [locale_name(each.locale) for each in view.series],
        "fewer_locales": len(view.series) < len(view.places),
    }
    if drawn:
        context |= {
            "days_chart": trend_chart.figure(drawn, view.annotations, of_locales=True),
            "days_summary": _("Line chart of the estimated share of %(element)s in %(places)s, %(window)s.")
            % {
                "element": name,
                "places": ", ".join(locale_name(each.locale) for each in drawn),
                "window": day_range(view.first, view.last),
            },
            "days_name": f"{found.slug}-element-days",
            "days_picture": _picture(request, view, name, day_range(view.first, view.last)),
            "drawn": len(drawn),
        }
    return context


def _ranges(view: ElementView) -> list[tuple[int, str, bool]]:
    chosen = (view.query.days or DEFAULT_DAYS[view.step]) if view.query.first is None else None
    return [(days, f"?{urlencode(_parameters(view, days))}", days == chosen) for days in RANGES[view.step]]


def _steps(view: ElementView) -> list[tuple[str, str, bool]]:
    """Weeks may be published where days have too few reports."""
    labels = step_labels(view.version)
    return [(words, f"?{urlencode(_parameters(view, step=step))}", step == view.step) for step, words in labels.items()]


def _full(view: ElementView) -> dict[str, str]:
    """Exactly what is shown, said in full."""
    window = {"from": view.first.isoformat(), "to": view.last.isoformat()} if view.first and view.last else {}
    return {"element": view.element.text, "version": str(view.version.number), "step": str(view.step), **window}


def _summary(view: ElementView, name: str) -> str:
    shown = [place for place in view.places if place.share is not None]
    return _(
        "Bar chart of the estimated share of %(element)s with 95 %% intervals in %(count)s locales, led by %(place)s;"
        " the table has the same numbers."
    ) % {"element": name, "count": len(shown), "place": locale_name(shown[0].locale)}


def _picture(request: HttpRequest, view: ElementView, name: str, what: str) -> Picture:
    parameters = view.version.mechanism.wire_parameters().items()
    return Picture(
        title=_("%(title)s: %(element)s, %(what)s") % {"title": view.use_case.title, "element": name, "what": what},
        # xgettext:no-python-format
        caption=_("Estimated share of reports, not of people. 95 % intervals, adjusted as in each window's histogram."),
        provenance=[
            (_("Version"), str(view.version.number)),
            (_("Algorithm"), view.version.algorithm),
            *((key if key != "epsilon" else "ε", str(value)) for key, value in parameters),
        ],
        address=exact_address(request, urlencode(_full(view))),
        name=f"{view.use_case.slug}-element",
    )


@login_required
@require_safe
def element_file(request: HttpRequest, slug: str, form: Literal["csv", "json"]) -> HttpResponseBase:
    """What the page shows of all locales and days."""
    found = get_object_or_404(use_cases(person(request), "view"), slug=slug)
    try:
        query = TrendQuery.from_parameters(request.GET)
        view = element_view(found, query, with_rejected=may_decide(request, found))
    except QueryError as error:
        return HttpResponse(f"{error.field}: {error}", content_type="text/plain; charset=utf-8", status=400)
    document = view.document() if view is not None else None
    if document is None:
        raise Http404(_("No histogram is published that could have this element."))
    record_viewing(person(request), found, form)
    return as_file(document, form, f"{found.slug}-element")
