"""The page of an element: all locales, all days; the same as files, and where it is embedded."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import use_cases
from reports.kinds import kind_of
from reports.models import SavedView, UseCase
from reports.results import QueryError, colourful, page_address, with_versions
from reports.results.element import ElementView, element_view
from reports.results.trend import DEFAULT_DAYS, Element, TrendQuery, points_table
from reports.viewings import record_viewing
from reports.web.pages.addresses import element_parameters
from reports.web.pages.bookmarks.visits import remember
from reports.web.pages.choices import Choice
from reports.web.pages.element.element_result import ElementResult, element_result
from reports.web.pages.embed.embedded import Embedded, annotations_for
from reports.web.pages.exports import Export, Form, results_file
from reports.web.pages.kinds import page_kind
from reports.web.pages.locales import UNDIVIDED, language_tag
from reports.web.pages.people import person
from reports.web.pages.trend.trend_controls import window
from reports.web.pages.trend.trend_page import may_decide
from reports.web.pages.windows import as_sent

# In the table of days, as in a month of 21 locales or a quarter of six: more would take its time to load, and files
# have all.
MOST_POINTS = 600


@login_required
@require_safe
def element(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(with_versions(use_cases(person(request), "view")), slug=slug)
    try:
        query = TrendQuery.from_parameters(as_sent(request.GET))
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
        remember(request, found, SavedView.Page.ELEMENT)
    page = _page(request, found, view)
    return render(request, "reports/element.html", {"page": page, "use_case": found, "result": page.result})


@dataclass(frozen=True)
class ElementPage:
    """All that the page shows."""

    view: ElementView
    element: Element
    # Only where it is not what one sees.
    counted_as: str
    # It is written in one language only where there is one locale.
    element_lang: str
    category_link: str
    # Other forms of an emoji, and their pages.
    variants: list[tuple[Element, str]]
    result: ElementResult


def _page(request: HttpRequest, found: UseCase, view: ElementView) -> ElementPage:
    locales, element = view.version.locales, view.element

    def linked(query: TrendQuery) -> str:
        return f"?{urlencode(page_parameters(query, view))}"

    # Weeks may be published where days have too few reports.
    steps = [
        Choice(str(step), str(words), step == view.step) for step, words in page_kind(view.version).step_labels.items()
    ]
    return ElementPage(
        view=view,
        element=element,
        counted_as=element.text if colourful(element.text) != element.display else "",
        element_lang=language_tag(locales[0]) if len(locales) == 1 else UNDIVIDED,
        category_link=f"?{urlencode({'category': element.category})}" if element.category else "",
        variants=[
            (each, f"?{urlencode(element_parameters(each.text, view.query.version))}")
            for each in view.variants
            if each != element
        ],
        result=element_result(view, view.annotations, request, window(view, linked), steps),
    )


def embedded(found: UseCase, parameters: QueryDict) -> Embedded | None:
    """Content of an embedded page; None if there is nothing to see. Raises `QueryError`."""
    view = element_view(found, TrendQuery.from_parameters(parameters), most_points=MOST_POINTS)
    if view is None or view.is_empty:
        return None
    result = element_result(view, annotations_for(parameters, view.annotations), None)
    return Embedded("reports/_element_result.html", result, view.exact().encoded(), result.finding)


def page_parameters(query: TrendQuery, view: ElementView) -> dict[str, str]:
    """The query string's content: the element, and what is not as it would be without it."""
    step = query.step or view.step
    usual = {"step": str(kind_of(view.version).step), "days": str(DEFAULT_DAYS[step])}
    window = replace(query, step=step).parameters()
    version = view.version.number if view.version != view.default else None
    return element_parameters(view.element.text, version) | {
        name: window[name][0]
        for name in ("step", "from", "to", "days")
        if name in window and window[name][0] != usual.get(name)
    }


@login_required
@require_safe
def element_file(request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
    """The page's content of all locales and days, as a file."""
    return _file(request, slug, form, ElementView.document, "element")


@login_required
@require_safe
def places_file(request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
    """The page's content of the newest window of each locale, as a file."""
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
