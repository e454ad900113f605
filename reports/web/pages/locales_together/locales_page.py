"""The page of all locales at once, and the same as files."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from reports.access import owned, use_cases
from reports.formatting import day_range, percent, whole
from reports.models import SavedView, UseCase, Version
from reports.publication import Days
from reports.results import QueryError, colourful, element_name, page_address, with_versions
from reports.results.comparison import FALSE_DISCOVERY_RATE
from reports.results.locales_together import (
    LocalesQuery,
    LocalesView,
    Standing,
    locales_document,
    locales_table,
    locales_view,
)
from reports.viewings import record_viewing
from reports.web.pages import provenance_facts as origin
from reports.web.pages.addresses import downloads, exact_address, short_link, short_parameters
from reports.web.pages.bookmarks.visits import remember
from reports.web.pages.changes.changes_controls import Controls
from reports.web.pages.compare.comparison_numbers import digits_for
from reports.web.pages.errors import refusal
from reports.web.pages.exports import Export, Form, file_views, results_file
from reports.web.pages.figures import Chart, Result
from reports.web.pages.inapplicable_parameters import without_what_is_missing
from reports.web.pages.kinds import PageKind, page_kind
from reports.web.pages.locales import UNDIVIDED, isolated, locale_name
from reports.web.pages.locales_together.heat_map import HeatMap, heat_map
from reports.web.pages.locales_together.panels import Panel, figure, panels, summary, top_of
from reports.web.pages.people import person
from reports.web.pages.periods import not_counted_words
from reports.web.pages.windows import as_sent

_TOPS: Final = (3, 5, 10, 20)


@login_required
@require_safe
def locales(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(with_versions(use_cases(person(request), "view")), slug=slug)
    try:
        view = without_what_is_missing(partial(locales_view, found), _page_query(as_sent(request.GET)))
    except QueryError as error:
        return refusal(request, found, error, lambda _sent, _wrong: None)
    if request.GET.dict() != short_parameters(view.query, view):
        # One view, one address: without the defaults that a form sends.
        return redirect(f"{request.path}{short_link(view.query, view)}".rstrip("?"))
    if view.shown:
        record_viewing(person(request), found, "page")
        remember(request, found, SavedView.Page.LOCALES)
    page = _page(request, found, view)
    return render(request, "reports/locales.html", {"page": page, "use_case": found, "result": page.result})


def _page_query(sent: QueryDict) -> LocalesQuery:
    query = LocalesQuery.from_parameters(sent)
    if query.top is not None and query.top > _TOPS[-1]:
        raise QueryError("top", _("A page shows at most %(most)s elements.") % {"most": _TOPS[-1]})
    return query


@dataclass(frozen=True, kw_only=True)
class LocalesResult(Result):
    """All that is shown of all locales."""

    headline: str
    window: str
    panels: list[Panel]
    map: HeatMap
    notes: list[str]
    # Locales of which nothing is published in the window.
    silent: str


@dataclass(frozen=True)
class LocalesPage:
    """All that the page shows."""

    view: LocalesView
    kind: PageKind
    controls: Controls | None
    owner: bool
    minimum: str
    result: LocalesResult | None


def _page(request: HttpRequest, found: UseCase, view: LocalesView) -> LocalesPage:
    version, link = view.version, partial(short_link, view=view)
    result = None
    if version is not None and view.days is not None and view.elements:
        result = _result(request, view, version, view.days)
    return LocalesPage(
        view=view,
        kind=page_kind(version),
        controls=None if version is None else Controls.of(version, view.query, view.days, _TOPS, view.top, link),
        owner=found.pk in owned(person(request)),
        minimum=whole(found.minimum_reports),
        result=result,
    )


def _result(request: HttpRequest, view: LocalesView, version: Version, days: Days) -> LocalesResult:
    histograms = [newest.listed.histogram for newest in view.shown if newest.listed is not None]
    digits = digits_for(*(each.threshold / each.n for each in histograms if each.threshold is not None))
    exactly, window = view.exact().encoded(), day_range(*days)
    provenance = [
        *origin.of_version(version),
        *origin.of_dictionary(histograms[0].revision),
        (_("False discovery rate"), percent(FALSE_DISCOVERY_RATE, 0)),
        *origin.of_intervals(),
        *origin.of_windows(histograms),
    ]
    caption = how_to_read()
    chart = Chart(figure=figure(view), summary=summary(view), name=f"{view.use_case.slug}-locales").pictured(
        request,
        exactly,
        title=_("%(title)s: %(fact)s") % {"title": view.use_case.title, "fact": window},
        caption=caption,
        provenance=provenance,
    )
    silent = [locale_name(newest.locale) for newest in view.locales if newest.listed is None]
    missing = {each.element: each for newest in view.shown for each in newest.not_counted}
    return LocalesResult(
        headline=headline(view),
        window=window,
        panels=panels(view, version, digits, _histograms(view)),
        map=heat_map(view, version, digits),
        notes=not_counted_words(version, missing.values()),
        silent=", ".join(silent),
        chart=chart,
        caption=caption,
        provenance=provenance,
        downloads=downloads(view.use_case.slug, exactly, **file_views("locales")),
        exactly=exact_address(request, exactly),
        element_lang=UNDIVIDED,
    )


def headline(view: LocalesView) -> str:
    """The leading element and its locale, in one sentence, and how much stands out."""
    firsts: dict[str, list[str]] = {}
    for newest in view.shown:
        for each, _cell in top_of(view, newest.locale)[:1]:
            firsts.setdefault(each.entry.display, []).append(newest.locale)
    leader, where = max(firsts.items(), key=lambda item: len(item[1]))
    words = ngettext(
        "%(element)s leads in %(count)s of %(all)s locale",
        "%(element)s leads in %(count)s of %(all)s locales",
        len(view.shown),
    )
    if len(where) == 1 < len(firsts):
        words = _("Another element leads in each locale")
    name = element_name(view.version, leader) if view.version is not None else ""
    element = isolated(f"{colourful(leader)} {name}".strip())
    leads = words % {"element": element, "count": whole(len(where)), "all": whole(len(view.shown))}
    count = sum(cell.standing != Standing.NOT_CLEAR for each in view.elements for cell in each.cells)
    stands = ngettext(
        "%(count)s share below stands out against the other locales.",
        "%(count)s shares below stand out against the other locales.",
        count,
    )
    return _("%(first)s; %(more)s") % {"first": leads, "more": stands % {"count": whole(count)}}


def _histograms(view: LocalesView) -> dict[str, str]:
    """The address of the histogram of each locale, of the same window."""
    address, found = reverse("use_case", args=[view.use_case.slug]), {}
    for newest in view.shown:
        if newest.listed is not None:
            first, last = newest.listed.days
            query = {"from": first.isoformat(), "to": last.isoformat()}
            if newest.locale != UNDIVIDED:
                query["locale"] = newest.locale
            if view.query.version is not None:
                query["version"] = str(view.query.version)
            found[newest.locale] = f"{address}?{urlencode(query)}"
    return found


def how_to_read() -> str:
    return _(
        # xgettext:no-python-format
        "Shares are estimates, of reports and not of people; lines are 95 % intervals. ▲ and ▼ stand where a share is"
        " clearly more, or less, than in all other locales together, each of these with the weight of its reports: on"
        " average, at most 5 % of them are chance (false discovery rate, Benjamini–Hochberg, over all elements and"
        " locales). What is below the threshold T is hatched, with the most that it can be."
    )


@login_required
@require_safe
def locales_file(request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
    """The page's query, rows and order as a file."""

    def find(use_case: UseCase) -> Export | None:
        view = locales_view(use_case, LocalesQuery.from_parameters(request.GET))
        document = locales_document(view)
        if document is None:
            return None
        document["address"] = page_address(request, "locales", use_case, view.exact())
        return Export(document, locales_table(document), _name(document))

    return results_file(request, slug, form, find, _("Nothing is published for this window."))


def _name(document: dict[str, Any]) -> str:
    return "-".join([document["use_case"], "locales", document["first_day"], document["last_day"]])
