"""The page of an element: all locales, all days."""

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import use_cases
from reports.formatting import whole
from reports.models import UseCase
from reports.results import QueryError, colourful, page_address, with_versions
from reports.results.element import ElementView, element_view
from reports.results.trend import Series, TrendQuery, points_table
from reports.viewings import record_viewing
from reports.web.pages import annotation_marks
from reports.web.pages import provenance_facts as origin
from reports.web.pages.addresses import downloads, element_parameters, exact_address
from reports.web.pages.annotations import annotation_lines
from reports.web.pages.element import element_chart, element_words
from reports.web.pages.element.element_controls import link, page_parameters, steps
from reports.web.pages.element.element_table import day_rows, place_lines
from reports.web.pages.exports import Export, Form, file_views, results_file
from reports.web.pages.figures import Chart
from reports.web.pages.locales import UNDIVIDED, language_tag, locale_name
from reports.web.pages.people import person
from reports.web.pages.trend import trend_chart
from reports.web.pages.trend.axis import later_and_earlier, ranges
from reports.web.pages.trend.trend_captions import caption
from reports.web.pages.trend.trend_page import may_decide

# In the table of days, as in a month of 21 locales or a quarter of six: more would take its time to load, and files
# have all.
MOST_POINTS = 600


@login_required
@require_safe
def element(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(with_versions(use_cases(person(request), "view")), slug=slug)
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
    parameters = page_parameters(query, view)
    if dict(request.GET.items()) != parameters or len(request.GET.getlist("element")) != 1:
        return redirect(f"{request.path}?{urlencode(parameters)}")
    if not view.is_empty:
        record_viewing(person(request), found, "page")
    return render(request, "reports/element.html", _context(request, found, view))


def _context(request: HttpRequest, found: UseCase, view: ElementView) -> dict[str, object]:
    name, exactly = element_words.called(view), view.exact().encoded()
    places = place_lines(view)
    title = _("%(title)s: %(element)s, %(what)s")
    context: dict[str, object] = {
        "use_case": found,
        "view": view,
        "element": view.element,
        "element_name": name,
        # Only where it is not what one sees.
        "counted_as": view.element.text if colourful(view.element.text) != view.element.display else "",
        # It is written in one language only where there is one locale.
        "element_lang": language_tag(view.version.locales[0]) if len(view.version.locales) == 1 else UNDIVIDED,
        "places": places,
        "words": view.version.discovery is not None,
        "category_link": f"?{urlencode({'category': view.element.category})}" if view.element.category else "",
        "variants": [
            (each, f"?{urlencode(element_parameters(each.text, view.query.version))}")
            for each in view.variants
            if each != view.element
        ],
        "minimum": whole(found.minimum_reports),
        "downloads": downloads(found.slug, exactly, **file_views("element")),
        "places_downloads": downloads(found.slug, exactly, **file_views("element_places")),
        "provenance": provenance(view),
        "exactly": exact_address(request, exactly),
    }
    if not view.is_below_everywhere:
        context["chart"] = Chart(
            figure=element_chart.figure(view.newest),
            summary=element_words.places_summary(view),
            name=f"{found.slug}-element-locales",
            title=title % {"title": found.title, "element": name, "what": _("by locale")},
            caption=element_words.caption(),
            provenance=_of_one(view, _of_places(view)),
            address=exact_address(request, exactly),
            links=[line.trend for line, place in zip(places, view.newest, strict=True) if place.share is not None],
        )
    if view.first is None or view.last is None or view.is_empty:
        return context

    def linked(query: TrendQuery) -> str:
        return link(query, view)

    earlier, later = later_and_earlier(view, linked)
    # The table has all of them.
    drawn = element_words.drawn(view)
    context |= {
        "window": element_words.days_of(view),
        "ranges": ranges(view, linked),
        "earlier": earlier,
        "later": later,
        "steps": steps(view),
        "annotations": annotation_lines(person(request), found, view.annotations, writable=False),
        "days": day_rows(view),
        "locales": [locale_name(each.locale) for each in view.series],
        "fewer_locales": len(view.series) < len(view.newest),
    }
    if drawn:
        context["drawn"] = len(drawn)
        context["days_chart"] = Chart(
            figure=trend_chart.figure(drawn, view.annotations, of_locales=True),
            summary=element_words.days_summary(view, drawn),
            name=f"{found.slug}-element-days",
            title=title % {"title": found.title, "element": name, "what": element_words.days_of(view)},
            caption=caption(view.version, view.step, drawn),
            provenance=_of_one(view, _of_days(drawn)),
            address=exact_address(request, exactly),
            notes=annotation_marks.notes(view.annotations),
        )
    return context


def _of_one(view: ElementView, of_windows: origin.Facts) -> origin.Facts:
    """Of one figure, given what is to be said of its windows."""
    return [*origin.of_version(view.version), *of_windows, *origin.of_intervals()]


def provenance(view: ElementView) -> origin.Facts:
    """Of both figures, where their numbers come from."""
    return [
        *origin.of_version(view.version),
        *origin.of_intervals(),
        *origin.beside(_("By locale"), _of_places(view)),
        *origin.beside(_("By day"), _of_days(view.series)),
    ]


def _of_places(view: ElementView) -> origin.Facts:
    """Of the windows of the first figure."""
    return origin.of_windows([place.slot.histogram for place in view.newest if place.slot.histogram is not None])


def _of_days(series: Sequence[Series]) -> origin.Facts:
    return origin.of_windows([slot.histogram for each in series for slot in each.slots if slot.histogram is not None])


@login_required
@require_safe
def element_file(request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
    """What the page shows of all locales and days."""
    return _file(request, slug, form, ElementView.document, "element")


@login_required
@require_safe
def places_file(request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
    """What the page shows of the newest window of each locale."""
    return _file(request, slug, form, ElementView.newest_document, "element-by-locale", most_points=0)


def _file(
    request: HttpRequest,
    slug: str,
    form: Form,
    written: Callable[[ElementView], dict[str, Any] | None],
    name: str,
    most_points: int | None = None,
) -> HttpResponseBase:
    def find(use_case: UseCase) -> Export | None:
        query = TrendQuery.from_parameters(request.GET)
        decides = may_decide(request, use_case)
        view = element_view(use_case, query, most_points=most_points, with_rejected=decides)
        document = written(view) if view is not None else None
        if view is None or document is None:
            return None
        document["address"] = page_address(request, "element", use_case, view.exact())
        return Export(document, points_table(document, of_locales=True), f"{use_case.slug}-{name}")

    return results_file(request, slug, form, find, _("No histogram is published that could have this element."))
