"""The page of all locales at once, and the same as files."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reports.formatting import day_range, percent, whole
from reports.models import SavedView, UseCase, Version
from reports.publication import Days
from reports.results import Table, colourful, element_name
from reports.results.comparison import FALSE_DISCOVERY_RATE
from reports.results.locales_together import (
    USUAL_TOP,
    LocalesQuery,
    LocalesView,
    Standing,
    locales_document,
    locales_table,
    locales_view,
)
from reports.web.pages import provenance_facts as origin
from reports.web.pages.addresses import short_link, short_parameters
from reports.web.pages.changes.changes_controls import Controls
from reports.web.pages.choices import Choice
from reports.web.pages.compare.comparison_numbers import digits_for
from reports.web.pages.figures import Chart, Result
from reports.web.pages.locales import UNDIVIDED, isolated, locale_name
from reports.web.pages.locales_together.heat_map import HeatMap, heat_map
from reports.web.pages.locales_together.panels import Panel, figure, panels, summary, top_of
from reports.web.pages.periods import not_counted_words
from reports.web.pages.results_page import Parameters, ResultsPage

_TOPS: Final = (3, 5, 10, 20)


@dataclass(frozen=True, kw_only=True)
class LocalesResult(Result):
    """All that is shown of all locales."""

    window: str
    panels: list[Panel]
    map: HeatMap
    # How many elements the map has, of how many; locales to choose one from, and the fields that its form sends along.
    rows: str
    locales: list[Choice]
    kept: dict[str, str]
    notes: list[str]
    # Locales of which nothing is published in the window.
    silent: str


class LocalesPage(ResultsPage[LocalesQuery, LocalesView]):
    page = SavedView.Page.LOCALES
    template = "reports/locales.html"
    tab = "locales"
    query = LocalesQuery
    usual_top, most_top = USUAL_TOP, _TOPS[-1]
    files = "locales"
    nothing_to_write = gettext_lazy("Nothing is published for this window.")

    def find(
        self, use_case: UseCase, query: LocalesQuery, reader: User | None = None, *, results: bool = True
    ) -> LocalesView:
        return locales_view(use_case, query)

    def parameters(self, query: LocalesQuery, view: LocalesView) -> Parameters:
        return short_parameters(query, view)

    def is_shown(self, view: LocalesView) -> bool:
        return bool(view.shown)

    def controls(self, view: LocalesView) -> Controls | None:
        if view.version is None:
            return None
        query, link = view.query, partial(short_link, view=view)
        found = Controls.of(view.version, query, view.days, _TOPS, view.top, link)
        of_map = {"q": query.search, "locale": query.locale, "sort": query.sort}
        return replace(found, kept={name: value for name, value in of_map.items() if value})

    def result(self, view: LocalesView, request: HttpRequest | None) -> LocalesResult | None:
        if view.version is None or view.days is None or not view.elements:
            return None
        return _result(request, view, view.version, view.days)

    def document(self, view: LocalesView) -> dict[str, Any] | None:
        return locales_document(view)

    def table(self, document: dict[str, Any]) -> Table:
        return locales_table(document)

    def file_name(self, document: dict[str, Any]) -> str:
        return "-".join([document["use_case"], "locales", document["first_day"], document["last_day"]])


LOCALES = LocalesPage()


def _result(request: HttpRequest | None, view: LocalesView, version: Version, days: Days) -> LocalesResult:
    histograms = [newest.listed.histogram for newest in view.shown if newest.listed is not None]
    digits = digits_for(*(each.threshold / each.n for each in histograms if each.threshold is not None))
    window = day_range(*days)
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
        view.exact().encoded(),
        title=_("%(title)s: %(fact)s") % {"title": view.use_case.title, "fact": window},
        caption=caption,
        provenance=provenance,
    )
    silent = [locale_name(newest.locale) for newest in view.locales if newest.listed is None]
    missing = {each.element: each for newest in view.shown for each in newest.not_counted}
    return LocalesResult(
        finding=headline(view),
        window=window,
        panels=panels(view, version, digits, _histograms(view)),
        map=heat_map(view, version, digits),
        rows=_("%(shown)s of %(all)s elements") % {"shown": len(view.rows), "all": len(view.elements)},
        locales=[
            Choice("", _("Top of any locale"), view.query.locale is None),
            *(
                Choice(
                    each.locale,
                    _("Top of %(locale)s") % {"locale": locale_name(each.locale)},
                    each.locale == view.query.locale,
                )
                for each in view.shown
            ),
        ],
        kept=short_parameters(replace(view.query, locale=None, search=""), view),
        notes=not_counted_words(version, missing.values()),
        silent=", ".join(silent),
        chart=chart,
        caption=caption,
        provenance=provenance,
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
        "%(count)s share stands out against the other locales.",
        "%(count)s shares stand out against the other locales.",
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
