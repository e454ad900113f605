"""The page of a use case: a histogram, or why there is none."""

from dataclasses import replace
from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import owned, use_cases
from reports.demo.coming import days_to_come
from reports.formatting import whole
from reports.models import Histogram, UseCase
from reports.privacy import Loss, privacy_loss
from reports.results import (
    HistogramQuery,
    HistogramView,
    QueryError,
    histogram_view,
    is_first_list,
    with_versions,
)
from reports.runs import DISCOVERY_DAYS
from reports.viewings import record_viewing
from reports.web.pages.addresses import DEFAULT_TOP, link, page_parameters
from reports.web.pages.date_fields import DateFields, as_typed, date_fields
from reports.web.pages.downloads import downloads, exact_address
from reports.web.pages.errors import refusal
from reports.web.pages.exports import file_views
from reports.web.pages.figures import Chart
from reports.web.pages.histogram import histogram_chart
from reports.web.pages.histogram.histogram_controls import controls
from reports.web.pages.histogram.histogram_facts import About, active_instead, pending, privacy_facts
from reports.web.pages.histogram.histogram_search import offers
from reports.web.pages.histogram.histogram_table import headings, lines, row_link
from reports.web.pages.inapplicable_parameters import without_what_is_missing
from reports.web.pages.locales import writing
from reports.web.pages.people import person
from reports.web.pages.periods import not_counted_words, stretches
from reports.web.pages.quarantine_page import in_quarantine
from reports.web.pages.words.words_facts import SearchFacts


@login_required
@require_safe
def use_case(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(with_versions(use_cases(person(request), "view")), slug=slug)
    try:
        view = _view(found, _page_query(as_typed(request.GET)))
    except QueryError as error:
        return refusal(request, found, error, partial(_form, found))
    if request.GET.dict() != page_parameters(view.query, view):
        # One view, one address: without the defaults that a form sends.
        return redirect(f"{request.path}{link(view.query, view)}".rstrip("?"))
    if view.histogram is not None:
        record_viewing(person(request), found, "page")
    return render(request, "reports/use_case.html", _context(request, found, view))


def _page_query(sent: QueryDict) -> HistogramQuery:
    if sent.get("from"):
        # Whoever fills in a first day has chosen it in place of the length that the form sends along.
        sent = sent.copy()
        sent.pop("days", None)
    query = HistogramQuery.from_parameters(sent)
    query = replace(query, top=query.top or DEFAULT_TOP)
    if query.top is not None and query.top > histogram_chart.MOST_BARS:
        raise QueryError("top", _("A page shows at most %(most)s elements.") % {"most": histogram_chart.MOST_BARS})
    if query.category and query.group == "category":
        # A category is looked into by its elements.
        query = replace(query, group="")
    return query


def _view(found: UseCase, query: HistogramQuery, *, results: bool = True) -> HistogramView:
    """What there is to see, without what the version does not have: a form sends that along if another is chosen."""
    return without_what_is_missing(lambda asked: histogram_view(found, asked, results=results), query)


def _form(found: UseCase, sent: QueryDict, dates: dict[str, DateFields]) -> dict[str, object] | None:
    """What the form needs to be shown again."""
    view = _view(found, _page_query(sent), results=False)
    shown = controls(view)
    if shown is None:
        return None
    form = {"controls": shown, "dates": dates[""], "form": "reports/_controls.html", "tab": "histogram"}
    return form | {"view": view, "query": view.query, "locale": view.query.locale}


def _context(request: HttpRequest, found: UseCase, view: HistogramView) -> dict[str, object]:
    owner = found.pk in owned(person(request))
    running = found.state == UseCase.State.RUNNING
    waits = pending(view) if owner else None
    context: dict[str, object] = {
        "use_case": found,
        "view": view,
        "query": view.query,
        "running": running,
        "controls": controls(view),
        "dates": date_fields(view.query, view.histogram.first_day, view.histogram.last_day)
        if view.histogram is not None
        else date_fields(view.query, None, None),
        "owner": owner,
        "minimum": whole(found.minimum_reports),
        "pending": waits,
        # As long as it runs, more may come at any moment.
        "may_aggregate": waits is not None and (running or waits.reports or waits.dictionary),
        "in_quarantine": len(in_quarantine(person(request), found)) if owner else 0,
        "active_instead": active_instead(view),
        "coming": days_to_come(found),
        "discovery_days": DISCOVERY_DAYS,
        "left_out": stretches(view.left_out),
    }
    if view.version is None:
        return context
    loss = privacy_loss(found, view.version)
    context["privacy"] = privacy_facts(loss)
    context["others_cost_more"] = loss.others_cost_more
    context["earlier_cost_more"] = loss.earlier_cost_more
    if loss.shared_with:
        # Of the others only those are named that the reader may see.
        context["shared"] = True
        context["shared_with"] = use_cases(person(request), "view").filter(
            pk__in=[other.pk for other in loss.shared_with]
        )
    if view.histogram is not None:
        context |= _result(request, view, view.histogram, loss)
    return context


def _result(request: HttpRequest, view: HistogramView, histogram: Histogram, loss: Loss) -> dict[str, object]:
    facts, exactly = About(view, histogram, loss), view.exact().encoded()
    neutral = histogram.version.normalization == "domain" or view.query.group == "category"
    element_lang, element_dir = writing(view.locale, neutral=neutral)
    context: dict[str, object] = {
        "about": facts,
        "not_counted": not_counted_words(histogram.version, view.not_counted),
        "lines": lines(view),
        "headings": headings(view),
        "downloads": downloads(view.use_case.slug, exactly, **file_views("use_case")),
        "exactly": exact_address(request, exactly),
        "everything": link(replace(view.query, search="", category="", words=""), view),
        "beside": offers(view),
        "element_lang": element_lang,
        "element_dir": element_dir,
    }
    if view.discovery is not None:
        context |= {
            "search": SearchFacts(histogram.discovery),
            "with_hidden": link(replace(view.query, search="", words="rejected"), view),
            "only_new": link(replace(view.query, search="", words="new"), view),
            "newcomers": view.query.words in ("", "all") and view.tally.new,
            "is_first_list": view.query.words == "new" and not view.rows and is_first_list(histogram),
        }
    if view.rows:
        by_rank = sorted(view.rows, key=lambda row: row.entry.rank)
        context["chart"] = Chart(
            figure=histogram_chart.figure(histogram, by_rank, view.query),
            summary=histogram_chart.summary(histogram, by_rank, facts.locale, view.query),
            name=f"{view.use_case.slug}-{view.locale}-{histogram.first_day}-{histogram.last_day}",
            title=_("%(title)s: %(place)s, %(window)s")
            % {"title": view.use_case.title, "place": facts.locale, "window": facts.window},
            caption=facts.caption,
            provenance=facts.provenance,
            address=exact_address(request, exactly),
            links=[row_link(view, row) for row in by_rank],
        )
    return context
