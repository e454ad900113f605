"""The page of a trend: elements of a locale over days, and its files."""

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import owned, use_cases
from reports.formatting import day_range, whole
from reports.models import UseCase
from reports.results import QueryError, page_address, with_versions
from reports.results.trend import SlotState, TrendQuery, TrendView, points_table, search, trend_document, trend_view
from reports.viewings import record_viewing
from reports.web.pages import annotation_marks
from reports.web.pages import provenance_facts as origin
from reports.web.pages.addresses import downloads, exact_address
from reports.web.pages.annotations import annotation_form, annotation_lines
from reports.web.pages.date_fields import DateFields, as_typed, date_fields
from reports.web.pages.errors import refusal
from reports.web.pages.exports import Export, Form, file_views, results_file
from reports.web.pages.figures import Chart
from reports.web.pages.inapplicable_parameters import without_what_is_missing
from reports.web.pages.locales import isolated, locale_name, writing
from reports.web.pages.people import person
from reports.web.pages.trend import trend_chart
from reports.web.pages.trend.trend_captions import caption
from reports.web.pages.trend.trend_choice import why_these
from reports.web.pages.trend.trend_controls import chosen, controls, link, offers, page_parameters, with_element
from reports.web.pages.trend.trend_table import rows


@login_required
@require_safe
def trend(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(with_versions(use_cases(person(request), "view")), slug=slug)
    with_rejected = may_decide(request, found)
    try:
        view = _view(found, TrendQuery.from_parameters(as_typed(request.GET)), with_rejected=with_rejected)
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
    return render(request, "reports/trend.html", _context(request, found, view) | add)


def may_decide(request: HttpRequest, found: UseCase) -> bool:
    """Whether somebody may decide about words, and so see those that were rejected."""
    return found.pk in owned(person(request))


def _view(found: UseCase, query: TrendQuery, *, with_rejected: bool) -> TrendView:
    """What there is to see, without what the version does not have: a form sends that along if another is chosen."""
    return without_what_is_missing(
        lambda asked: trend_view(found, asked, with_rejected=with_rejected, weeks_if_noisy=True), query
    )


def _form(found: UseCase, sent: QueryDict, dates: dict[str, DateFields]) -> dict[str, object] | None:
    """What the form needs to be shown again."""
    query = TrendQuery.from_parameters(sent)
    view = without_what_is_missing(lambda asked: trend_view(found, asked, results=False), query)
    if view.version is None:
        return None
    form = {"controls": controls(view), "dates": dates[""], "form": "reports/_trend_controls.html", "tab": "trend"}
    return form | {"view": view, "query": view.query, "locale": view.query.locale}


def _context(request: HttpRequest, found: UseCase, view: TrendView) -> dict[str, object]:
    context: dict[str, object] = {
        "use_case": found,
        "view": view,
        "query": view.query,
        "controls": controls(view),
        "dates": date_fields(view.query, view.first, view.last),
        "words": view.version is not None and view.version.discovery is not None,
    }
    if view.version is None or view.first is None or view.last is None or view.is_empty:
        not_over = [slot.state == SlotState.NOT_OVER for slot in view.slots]
        minimum = whole(found.minimum_reports)
        return context | {"nothing": True, "no_week_is_over": any(not_over) and all(not_over), "minimum": minimum}
    window = day_range(view.first, view.last)
    place, exactly = locale_name(view.locale), view.exact().encoded()
    why, how_to_read, facts = why_these(view), caption(view.version, view.step, view.series), provenance(view)
    element_lang, element_dir = writing(view.locale)
    context |= {
        "place": place,
        "window": window,
        "chosen": chosen(view),
        "why_these": why,
        "caption": how_to_read,
        "rows": rows(view.slots, view.series),
        "element_lang": element_lang,
        "element_dir": element_dir,
        "annotations": annotation_lines(person(request), found, view.annotations),
        "annotation_form": annotation_form(person(request), found),
        "back": link(view.query, view).removeprefix("?"),
        "downloads": downloads(found.slug, exactly, **file_views("trend")),
        "provenance": facts,
        "exactly": exact_address(request, exactly),
    }
    if view.series:
        title = _("%(title)s: trend, %(place)s, %(window)s")
        context["chart"] = Chart(
            figure=trend_chart.figure(view.series, view.annotations),
            summary=summary(view, window),
            name=f"{found.slug}-{view.locale}-trend",
            title=title % {"title": found.title, "place": place, "window": window},
            caption=" ".join(filter(None, [why, how_to_read])),
            provenance=facts,
            address=exact_address(request, exactly),
            notes=annotation_marks.notes(view.annotations),
        )
    return context


def summary(view: TrendView, window: str) -> str:
    """One sentence for those who do not see the chart."""
    names = ", ".join(series.element.name or isolated(series.element.display) for series in view.series)
    return _(
        "Line chart of estimated shares in %(place)s with 95 %% intervals, %(window)s: %(elements)s; the table has the"
        " same numbers."
    ) % {"place": locale_name(view.locale), "window": window, "elements": names}


def provenance(view: TrendView) -> origin.Facts:
    """Where the numbers come from."""
    if view.version is None:
        return []
    windows = [slot.histogram for slot in view.slots if slot.histogram is not None]
    return [*origin.of_version(view.version), *origin.of_windows(windows), *origin.of_intervals()]


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
