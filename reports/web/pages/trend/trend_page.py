"""The page of a trend: elements of a locale over days, and its files."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reports.access import owned
from reports.formatting import day_range, small_percent
from reports.models import SavedView, UseCase
from reports.results import QueryError, State, Table
from reports.results.trend import (
    Mover,
    SlotState,
    TrendQuery,
    TrendView,
    points_table,
    search,
    trend_document,
    trend_view,
)
from reports.web.pages import annotation_marks
from reports.web.pages import provenance_facts as origin
from reports.web.pages.annotations import AnnotationForm, Line, annotation_form, annotation_lines
from reports.web.pages.choices import Empty
from reports.web.pages.embed.embedded import annotations_for
from reports.web.pages.figures import Chart, Result
from reports.web.pages.kinds import page_kind
from reports.web.pages.locales import isolated, locale_name, writing
from reports.web.pages.people import person
from reports.web.pages.results_page import Content, Parameters, ResultsPage
from reports.web.pages.trend import trend_chart
from reports.web.pages.trend.trend_controls import (
    Chosen,
    Controls,
    chosen,
    controls,
    link,
    offers,
    page_parameters,
    with_element,
)
from reports.web.pages.trend.trend_finding import finding
from reports.web.pages.trend.trend_table import rows
from reports.web.pages.version_words import SeveralVersions, several_versions


@dataclass(frozen=True, kw_only=True)
class TrendResult(Result):
    """All that is shown of elements over days."""

    title: str
    # Units of the chart's axes.
    axis: str
    locale: str
    window: str
    chosen: list[Chosen]
    # The reason why these elements are shown, unless the reader chose them.
    why_these: str
    # If several counted these windows.
    versions: SeveralVersions | None
    annotations: list[Line]
    view: TrendView

    @cached_property
    def rows(self) -> SafeString:
        """The lines of the table; made where they are shown, for a picture of the chart has none."""
        return rows(self.view.slots, self.view.series, versions=self.versions is not None)


@dataclass(frozen=True, kw_only=True)
class TrendContent(Content):
    # Why nothing is shown, if that is not for want of reports.
    empty: Empty | None
    annotation_form: AnnotationForm | None
    # The query string that leads back here from a form about a day.
    back: str


class TrendPage(ResultsPage[TrendQuery, TrendView]):
    page = SavedView.Page.TREND
    template = "reports/trend.html"
    result_template = "reports/_trend.html"
    form_template = "reports/_trend_controls.html"
    tab = "trend"
    query = TrendQuery
    files = "trend"
    nothing_to_write = gettext_lazy("No histogram is published for these days.")

    def find(
        self, use_case: UseCase, query: TrendQuery, reader: User | None = None, *, results: bool = True
    ) -> TrendView:
        decides = may_decide(reader, use_case)
        return trend_view(use_case, query, with_rejected=decides, weeks_if_noisy=results, results=results)

    def written_view(self, use_case: UseCase, query: TrendQuery, reader: User | None = None) -> TrendView:
        return trend_view(use_case, query, with_rejected=may_decide(reader, use_case))

    def parameters(self, query: TrendQuery, view: TrendView) -> Parameters:
        return page_parameters(query, view)

    def is_shown(self, view: TrendView) -> bool:
        return not view.is_empty

    def respond(self, request: HttpRequest, view: TrendView) -> HttpResponse:
        """Add an element by its name, if that is asked for, or offer those that may be meant."""
        wanted = request.GET.get("add", "").strip()[:100]
        if not wanted or view.version is None:
            return super().respond(request, view)
        try:
            elements = search(view.version, view.locale, wanted)
            if len(elements) == 1:
                return redirect(f"{request.path}{link(with_element(view, elements[0]), view)}")
            return self.render(request, view, add=wanted, offers=offers(view, elements))
        except QueryError as error:
            return self.render(request, view, add=wanted, add_error=str(error))

    def controls(self, view: TrendView) -> Controls | None:
        return controls(view)

    def result(self, view: TrendView, request: HttpRequest | None) -> TrendResult | None:
        return _result(view, request)

    def content(self, request: HttpRequest, view: TrendView, *, owner: bool) -> TrendContent:
        not_over = [slot.state == SlotState.NOT_OVER for slot in view.slots]
        no_week_is_over = any(not_over) and all(not_over)
        return TrendContent(
            view=view,
            result=self.linked(view, request),
            owner=owner,
            tab=self.tab,
            controls=controls(view),
            empty=_counted_elsewhere(view) or page_kind(view.version).empty_trend(no_week_is_over=no_week_is_over),
            annotation_form=annotation_form(person(request), view.use_case),
            back=link(view.query, view).removeprefix("?"),
        )

    def document(self, view: TrendView) -> dict[str, Any] | None:
        return trend_document(view)

    def table(self, document: dict[str, Any]) -> Table:
        return points_table(document)

    def file_name(self, document: dict[str, Any]) -> str:
        days = document["first_day"], document["last_day"]
        return "-".join((document["use_case"], document["locale"], "trend", *days))

    def embedded_view(self, use_case: UseCase, parameters: QueryDict) -> TrendView | None:
        view = super().embedded_view(use_case, parameters)
        if view is None or not view.series:
            return None
        return replace(view, annotations=annotations_for(parameters, view.annotations))


TREND = TrendPage()


def may_decide(reader: User | None, use_case: UseCase) -> bool:
    """Tell whether a reader may decide about words, and so sees those that were rejected; strangers do not."""
    return reader is not None and use_case.pk in owned(reader)


def _counted_elsewhere(view: TrendView) -> Empty | None:
    """The message if nothing is shown because another version counted these days in another way."""
    if view.version is None or view.state != State.OTHER_VERSION:
        return None
    versions = several_versions(view.version, view.locale, view.slots, linked=True)
    counted = versions.counted if versions is not None else []
    words = _("It counted other elements, or found words: its shares cannot stand beside those of version %(number)s.")
    return Empty(
        _("Counted by another version"),
        [*(each.words for each in counted), words % {"number": view.version.number}],
        actions=[each.link for each in counted if each.link is not None],
    )


def _result(view: TrendView, request: HttpRequest | None) -> TrendResult | None:
    if view.version is None or view.first is None or view.last is None or view.is_empty:
        return None
    window, locale = day_range(view.first, view.last), locale_name(view.locale)
    why, chart = why_these(view), None
    caption = " ".join(page_kind(view.version).trend_caption(view.version, view.step, view.series))
    elements = [series.element for series in view.series]
    versions = several_versions(view.version, view.locale, view.slots, elements, linked=request is not None)
    of_slots = origin.of_slots(view.version, view.slots)
    provenance = [*origin.of_version(view.version), *of_slots, *origin.of_intervals()]
    words = _("%(title)s: trend, %(place)s, %(window)s")
    title = words % {"title": view.use_case.title, "place": locale, "window": window}
    shown = chosen(view, linked=request is not None)
    if view.series:
        chart = Chart(
            figure=trend_chart.figure(view.series, view.annotations, faceted=is_faceted(view)),
            summary=summary(view, window),
            name=f"{view.use_case.slug}-{view.locale}-trend",
        )
        chart = chart.pictured(
            request,
            view.exact().encoded(),
            title=title,
            caption=" ".join(filter(None, [why, caption, versions.in_words if versions else ""])),
            provenance=provenance,
            notes=annotation_marks.notes(view.annotations),
            links=[each.page for each in shown],
        )
    element_lang, element_dir = writing(view.locale)
    return TrendResult(
        locale=locale,
        window=window,
        title=title,
        finding=finding(view),
        axis=axis_words(view),
        chosen=shown,
        why_these=why,
        versions=versions,
        view=view,
        annotations=annotation_lines(view.annotations, view.use_case, person(request) if request is not None else None),
        chart=chart,
        caption=caption,
        provenance=provenance,
        element_lang=element_lang,
        element_dir=element_dir,
    )


def summary(view: TrendView, window: str) -> str:
    """One sentence for those who do not see the chart."""
    names = ", ".join(series.element.name or isolated(series.element.display) for series in view.series)
    return _(
        "Line chart of estimated shares in %(place)s with 95 %% intervals, %(window)s: %(elements)s; the table has the"
        " same numbers."
    ) % {"place": locale_name(view.locale), "window": window, "elements": names}


def is_faceted(view: TrendView) -> bool:
    """Tell whether each element has a panel of its own."""
    return len(view.series) >= trend_chart.FACETS_FROM and not view.query.facets


def axis_words(view: TrendView) -> str:
    """The chart's content in words: shares, of which windows, and what the bands are."""
    if view.step == 1:
        along = _("by day")
    else:
        weeks = page_kind(view.version).weeks_begin_on_monday
        along = _("by week, at its last day") if weeks else _("by list, at its last day")
    words = _("Estimated share of reports, not of people, %(along)s; bands are 95 %% intervals, dots the threshold T.")
    return words % {"along": along}


def why_these(view: TrendView) -> str:
    """Name the elements that are shown by default; empty where the reader chose some."""
    if view.query.elements or not view.series:
        return ""
    largest = len(view.series) - (view.mover is not None)
    words = ngettext(
        "Shown by default: the one with the largest share in the newest window.",
        "Shown by default: the %(count)s with the largest shares in the newest window.",
        largest,
    )
    said = words % {"count": largest}
    return f"{said} {_about_mover(view.mover)}" if view.mover is not None else said


def _about_mover(mover: Mover) -> str:
    words = ngettext(
        "%(element)s was added because of all others it changed most from the first window shown to the last: from"
        " %(before)s to %(after)s. It is above the threshold T in both, and noise alone would hardly explain the"
        " change.",
        "%(element)s was added because of all others it changed most from the first %(windows)s windows shown to the"
        " last %(windows)s: on average from %(before)s to %(after)s. It is above the threshold T in all of them, and"
        " noise alone would hardly explain the change.",
        mover.windows,
    )
    return words % {
        "element": isolated(mover.element.name or mover.element.display),
        "before": small_percent(mover.before),
        "after": small_percent(mover.after),
        "windows": mover.windows,
    }
