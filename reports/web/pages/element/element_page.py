"""The page of an element: all locales, all days; the same as files, and where it is embedded."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy

from reports.models import SavedView, UseCase
from reports.results import Table, colourful
from reports.results.element import ElementView, element_view
from reports.results.trend import DEFAULT_DAYS, Element, TrendQuery, points_table
from reports.web.pages.addresses import element_parameters
from reports.web.pages.choices import Choice
from reports.web.pages.element.element_result import ElementResult, element_result
from reports.web.pages.embed.embedded import annotations_for
from reports.web.pages.kinds import page_kind
from reports.web.pages.locales import UNDIVIDED, language_tag
from reports.web.pages.results_page import Content, Parameters, ResultsPage
from reports.web.pages.trend.trend_controls import window
from reports.web.pages.trend.trend_page import may_decide

# In the table of days, as in a month of 21 locales or a quarter of six: more would take its time to load, and files
# have all.
MOST_POINTS = 600


@dataclass(frozen=True, kw_only=True)
class ElementContent(Content):
    element: Element
    # Only where it is not what one sees.
    counted_as: str
    # It is written in one language only where there is one locale.
    element_lang: str
    category_link: str
    # Other forms of an emoji, and their pages.
    variants: list[tuple[Element, str]]


class ElementPage(ResultsPage[TrendQuery, ElementView]):
    page = SavedView.Page.ELEMENT
    template = "reports/element.html"
    result_template = "reports/_element_result.html"
    tab = "element"
    query = TrendQuery
    files = "element_places"
    nothing_to_write = gettext_lazy("No histogram is published that could have this element.")

    def find(
        self, use_case: UseCase, query: TrendQuery, reader: User | None = None, *, results: bool = True
    ) -> ElementView | None:
        return element_view(use_case, query, most_points=MOST_POINTS, with_rejected=may_decide(reader, use_case))

    def written_view(self, use_case: UseCase, query: TrendQuery, reader: User | None = None) -> ElementView | None:
        return element_view(use_case, query, with_rejected=may_decide(reader, use_case))

    def missing(self, request: HttpRequest, use_case: UseCase, query: TrendQuery) -> HttpResponse:
        if not query.elements:
            # All of them, then.
            return redirect("use_case", use_case.slug)
        context = {"use_case": use_case, "wanted": query.elements[0]}
        return render(request, "reports/no_element.html", context, status=404)

    def parameters(self, query: TrendQuery, view: ElementView) -> Parameters:
        return page_parameters(query, view)

    def is_shown(self, view: ElementView) -> bool:
        return not view.is_empty

    def result(self, view: ElementView, request: HttpRequest | None) -> ElementResult:
        if request is None:
            return element_result(view, None)

        def linked(query: TrendQuery) -> str:
            return f"?{urlencode(page_parameters(query, view))}"

        # Weeks may be published where days have too few reports.
        labels = page_kind(view.version).step_labels
        steps = [Choice(str(step), str(words), step == view.step) for step, words in labels.items()]
        return element_result(view, request, window(view, linked), steps)

    def content(self, request: HttpRequest, view: ElementView, *, owner: bool) -> ElementContent:
        locales, element = view.version.locales, view.element
        return ElementContent(
            view=view,
            result=self.linked(view, request),
            owner=owner,
            tab=self.tab,
            element=element,
            counted_as=element.text if colourful(element.text) != element.display else "",
            element_lang=language_tag(locales[0]) if len(locales) == 1 else UNDIVIDED,
            category_link=f"?{urlencode({'category': element.category})}" if element.category else "",
            variants=[
                (each, f"?{urlencode(element_parameters(each.text, view.query.version))}")
                for each in view.variants
                if each != element
            ],
        )

    def document(self, view: ElementView) -> dict[str, Any] | None:
        return view.document()

    def table(self, document: dict[str, Any]) -> Table:
        return points_table(document, of_locales=True)

    def file_name(self, document: dict[str, Any]) -> str:
        return f"{document['use_case']}-element"

    def embedded_view(self, use_case: UseCase, parameters: QueryDict) -> ElementView | None:
        view = super().embedded_view(use_case, parameters)
        if view is None or view.is_empty:
            return None
        return replace(view, annotations=annotations_for(parameters, view.annotations))


class ElementLocales(ElementPage):
    """The newest window of each locale alone, as a file."""

    def written_view(self, use_case: UseCase, query: TrendQuery, reader: User | None = None) -> ElementView | None:
        return element_view(use_case, query, most_locales=0, with_rejected=may_decide(reader, use_case))

    def document(self, view: ElementView) -> dict[str, Any] | None:
        return view.newest_document()

    def file_name(self, document: dict[str, Any]) -> str:
        return f"{document['use_case']}-element-by-locale"


ELEMENT = ElementPage()
ELEMENT_LOCALES = ElementLocales()


def page_parameters(query: TrendQuery, view: ElementView) -> dict[str, str]:
    """The query string's content: the element, and what is not as it would be without it."""
    step = query.step or view.step
    usual = {"step": str(view.usual_step), "days": str(DEFAULT_DAYS[step])}
    window = replace(query, step=step).parameters()
    version = view.version.number if view.version != view.default else None
    return element_parameters(view.element.text, version) | {
        name: window[name][0]
        for name in ("step", "from", "to", "days")
        if name in window and window[name][0] != usual.get(name)
    }
