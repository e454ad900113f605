"""The page of a trend: elements of a locale over days, and its files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from reports.access import owned, use_cases
from reports.formatting import day_range, small_percent, whole
from reports.models import Annotation, SavedView, UseCase
from reports.results import QueryError, State, page_address, with_versions
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
from reports.viewings import record_viewing
from reports.web.pages import annotation_marks
from reports.web.pages import provenance_facts as origin
from reports.web.pages.addresses import downloads, exact_address
from reports.web.pages.annotations import AnnotationForm, Line, annotation_form, annotation_lines
from reports.web.pages.bookmarks.visits import remember
from reports.web.pages.choices import Empty
from reports.web.pages.embed.embedded import Embedded, annotations_for
from reports.web.pages.errors import Wrong, refusal
from reports.web.pages.exports import Export, Form, file_views, results_file
from reports.web.pages.figures import Chart, Result
from reports.web.pages.inapplicable_parameters import without_what_is_missing
from reports.web.pages.kinds import PageKind, page_kind
from reports.web.pages.locales import isolated, locale_name, writing
from reports.web.pages.people import person
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
from reports.web.pages.windows import as_sent


@login_required
@require_safe
def trend(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(with_versions(use_cases(person(request), "view")), slug=slug)
    with_rejected = may_decide(request, found)
    try:
        view = _view(found, TrendQuery.from_parameters(as_sent(request.GET)), with_rejected=with_rejected)
    except QueryError as error:
        return refusal(request, found, error, partial(_form, found))
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
        remember(request, found, SavedView.Page.TREND)
    page = _page(request, found, view)
    return render(request, "reports/trend.html", {"page": page, "use_case": found, "result": page.result} | add)


def may_decide(request: HttpRequest, found: UseCase) -> bool:
    """Whether a user may decide about words, and so see those that were rejected."""
    return found.pk in owned(person(request))


def _view(found: UseCase, query: TrendQuery, *, with_rejected: bool) -> TrendView:
    """The view, without what the version does not have: a form sends that along if another is chosen."""
    return without_what_is_missing(
        lambda asked: trend_view(found, asked, with_rejected=with_rejected, weeks_if_noisy=True), query
    )


def _form(found: UseCase, sent: QueryDict, wrong: Wrong) -> dict[str, object] | None:
    """The form's context, to be shown again."""
    query = TrendQuery.from_parameters(sent)
    view = without_what_is_missing(lambda asked: trend_view(found, asked, results=False), query)
    shown = controls(view)
    if shown is None:
        return None
    shown = replace(shown, window=wrong(shown.window))
    form = {"controls": shown, "form": "reports/_trend_controls.html", "tab": "trend"}
    return form | {"query": view.query, "locale": view.query.locale}


@dataclass(frozen=True, kw_only=True)
class TrendResult(Result):
    """All that is shown of elements over days."""

    title: str
    finding: str
    # Units of the chart's axes.
    axis: str
    locale: str
    window: str
    chosen: list[Chosen]
    # The reason why these elements are shown, unless the reader chose them.
    why_these: str
    # If several counted these windows.
    versions: SeveralVersions | None
    rows: SafeString
    annotations: list[Line]


@dataclass(frozen=True)
class TrendPage:
    """All that the page shows."""

    view: TrendView
    kind: PageKind
    controls: Controls | None
    minimum: str
    # Why nothing is shown, if that is not for want of reports.
    empty: Empty | None
    annotation_form: AnnotationForm | None
    # Where those come back to who write about a day.
    back: str
    result: TrendResult | None


def _page(request: HttpRequest, found: UseCase, view: TrendView) -> TrendPage:
    not_over = [slot.state == SlotState.NOT_OVER for slot in view.slots]
    kind = page_kind(view.version)
    return TrendPage(
        view=view,
        kind=kind,
        controls=controls(view),
        minimum=whole(found.minimum_reports),
        empty=_counted_elsewhere(view) or kind.empty_trend(no_week_is_over=any(not_over) and all(not_over)),
        annotation_form=annotation_form(person(request), found),
        back=link(view.query, view).removeprefix("?"),
        result=_result(view, annotation_lines(view.annotations, found, person(request)), view.annotations, request),
    )


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


def _result(
    view: TrendView, lines: list[Line], annotations: Sequence[Annotation], request: HttpRequest | None
) -> TrendResult | None:
    """None if there is nothing to see. Without a request for embedded pages, which lead nowhere."""
    if view.version is None or view.first is None or view.last is None or view.is_empty:
        return None
    window, locale = day_range(view.first, view.last), locale_name(view.locale)
    why, exactly, chart = why_these(view), view.exact().encoded(), None
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
            figure=trend_chart.figure(view.series, annotations, faceted=is_faceted(view)),
            summary=summary(view, window),
            name=f"{view.use_case.slug}-{view.locale}-trend",
        )
        chart = chart.pictured(
            request,
            exactly,
            title=title,
            caption=" ".join(filter(None, [why, caption, versions.in_words if versions else ""])),
            provenance=provenance,
            notes=annotation_marks.notes(annotations),
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
        rows=rows(view.slots, view.series, versions=versions is not None),
        annotations=lines,
        chart=chart,
        caption=caption,
        provenance=provenance,
        downloads=downloads(view.use_case.slug, exactly, **file_views("trend")) if request is not None else (),
        exactly=exact_address(request, exactly) if request is not None else "",
        element_lang=element_lang,
        element_dir=element_dir,
    )


def embedded(found: UseCase, parameters: QueryDict) -> Embedded | None:
    """Content of an embedded page; None if there is nothing to see. Raises `QueryError`."""
    view = trend_view(found, TrendQuery.from_parameters(parameters), weeks_if_noisy=True)
    annotations = annotations_for(parameters, view.annotations)
    result = _result(view, annotation_lines(annotations, found), annotations, None)
    if result is None or not view.series:
        return None
    return Embedded("reports/_trend.html", result, view.exact().encoded(), result.finding)


def summary(view: TrendView, window: str) -> str:
    """One sentence for those who do not see the chart."""
    names = ", ".join(series.element.name or isolated(series.element.display) for series in view.series)
    return _(
        "Line chart of estimated shares in %(place)s with 95 %% intervals, %(window)s: %(elements)s; the table has the"
        " same numbers."
    ) % {"place": locale_name(view.locale), "window": window, "elements": names}


def is_faceted(view: TrendView) -> bool:
    """Whether each element has a panel of its own."""
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


@login_required
@require_safe
def trend_file(request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
    """The trend as a file: the same windows, elements and order as on the page."""

    def find(use_case: UseCase) -> Export | None:
        query = TrendQuery.from_parameters(request.GET)
        view = trend_view(use_case, query, with_rejected=may_decide(request, use_case))
        document = trend_document(view)
        if document is None:
            return None
        document["address"] = page_address(request, "trend", use_case, view.exact())
        name = "-".join((use_case.slug, document["locale"], "trend", document["first_day"], document["last_day"]))
        return Export(document, points_table(document), name)

    return results_file(request, slug, form, find, _("No histogram is published for these days."))
