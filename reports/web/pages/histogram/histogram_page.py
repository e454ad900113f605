"""The page of a use case: a histogram, or why there is none; the same as files, and where it is embedded."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reports.demo.coming import days_to_come
from reports.formatting import plain
from reports.models import SavedView, UseCase, Version
from reports.privacy import Loss, privacy_loss
from reports.results import (
    HistogramQuery,
    HistogramView,
    Table,
    histogram_table,
    histogram_view,
    known_versions,
)
from reports.retention import deletions, how_many, never_counted
from reports.runs import DISCOVERY_DAYS, uncounted_versions, unseen_versions
from reports.web.pages.addresses import DEFAULT_DAYS, DEFAULT_TOP, page_parameters
from reports.web.pages.choices import Choice
from reports.web.pages.histogram.histogram_chart import MOST_BARS
from reports.web.pages.histogram.histogram_controls import Controls, controls
from reports.web.pages.histogram.histogram_result import HistogramResult, histogram_result
from reports.web.pages.kinds import page_kind
from reports.web.pages.people import person
from reports.web.pages.periods import stretches
from reports.web.pages.quarantine_page import in_quarantine
from reports.web.pages.results_page import Content, Parameters, ResultsPage
from reports.web.pages.version_words import Counted, counted_elsewhere


@dataclass(frozen=True)
class Owned:
    """Reports that wait, and what owners may do about them."""

    # Whether there are reports that no run has counted, in any version; and what is said of them.
    waits: bool
    uncounted: list[str]
    # That the newest dictionary has elements that are not counted yet.
    dictionary_waits: bool
    # How many were deleted, in words, before anybody counted them; empty if none were.
    deleted: str
    in_quarantine: int
    may_aggregate: bool
    # Whether a run may be ordered over exactly the days that are asked for.
    may_search: bool


@dataclass(frozen=True, kw_only=True)
class HistogramContent(Content):
    use_case: UseCase
    running: bool
    discovery_days: int
    # Days of the demo that are still to come.
    coming: int
    # The text if another version is active, and the link to it.
    active_instead: tuple[str, Choice] | None
    left_out: str
    # Other versions' counts of the days asked for, each with a link.
    elsewhere: list[Counted]
    # The address of the newest results of the locale and version.
    newest: str
    owned: Owned | None
    # Privacy of a report, in one line.
    privacy: str
    # Links to other pages on the window.
    further: list[Choice]


class HistogramPage(ResultsPage[HistogramQuery, HistogramView]):
    page = SavedView.Page.EXPLORE
    template = "reports/use_case.html"
    result_template = "reports/_histogram.html"
    form_template = "reports/_controls.html"
    tab = "histogram"
    query = HistogramQuery
    usual_top, most_top = DEFAULT_TOP, MOST_BARS
    files = "use_case"
    nothing_to_write = gettext_lazy("No histogram is published for this window.")

    def find(
        self, use_case: UseCase, query: HistogramQuery, reader: User | None = None, *, results: bool = True
    ) -> HistogramView:
        return histogram_view(use_case, query, results=results)

    def read(self, sent: QueryDict) -> HistogramQuery:
        query = super().read(sent)
        if not query.has_window:
            # Lists of words have no such windows, and leave it out.
            query = replace(query, days=DEFAULT_DAYS)
        # A category is looked into by its elements.
        return replace(query, group="") if query.category and query.group == "category" else query

    def parameters(self, query: HistogramQuery, view: HistogramView) -> Parameters:
        return page_parameters(query, view)

    def is_shown(self, view: HistogramView) -> bool:
        return view.histogram is not None

    def controls(self, view: HistogramView) -> Controls | None:
        return controls(view)

    def result(self, view: HistogramView, request: HttpRequest | None) -> HistogramResult | None:
        if view.histogram is None or view.version is None:
            return None
        return histogram_result(view, view.histogram, privacy_loss(view.use_case, view.version), request)

    def content(self, request: HttpRequest, view: HistogramView, *, owner: bool) -> HistogramContent:
        use_case = view.use_case
        newest = HistogramQuery(locale=view.locale, version=view.query.version)
        return HistogramContent(
            use_case=use_case,
            view=view,
            controls=controls(view),
            result=self.linked(view, request),
            owner=owner,
            tab=self.tab,
            running=use_case.state == UseCase.State.RUNNING,
            discovery_days=DISCOVERY_DAYS,
            coming=days_to_come(use_case),
            active_instead=_active_instead(view),
            left_out=stretches(view.left_out),
            elsewhere=counted_elsewhere(view.elsewhere, view.locale),
            newest=f"?{newest.encoded()}",
            owned=_owned(person(request), view) if owner else None,
            privacy=_privacy(privacy_loss(use_case, view.version)) if view.version is not None else "",
            further=_further(view) if view.window is not None and view.total else [],
        )

    def document(self, view: HistogramView) -> dict[str, Any] | None:
        return view.document()

    def table(self, document: dict[str, Any]) -> Table:
        return histogram_table(document)

    def file_name(self, document: dict[str, Any]) -> str:
        return "-".join(str(document[part]) for part in ("use_case", "locale", "first_day", "last_day"))

    def embedded_view(self, use_case: UseCase, parameters: QueryDict) -> HistogramView | None:
        """Find the view without any rejected word, regardless of who made the link, and when."""
        if parameters.get("words") == "rejected":
            return None
        if parameters.get("words") == "all":
            parameters = parameters.copy()
            del parameters["words"]
        view = super().embedded_view(use_case, parameters)
        return view if view is not None and view.rows else None


HISTOGRAM = HistogramPage()


def _further(view: HistogramView) -> list[Choice]:
    slug, locale = view.use_case.slug, f"?{urlencode({'locale': view.query.locale})}" if view.query.locale else ""
    trusted = urlencode({"use_case": slug, **view.window_query.parameters()})
    return [
        Choice(f"{reverse('evaluations')}?{trusted}", _("How far can this chart be trusted?")),
        Choice(f"{reverse('side_by_side', args=[slug])}{locale}", _("Beside another use case")),
    ]


def _owned(owner: User, view: HistogramView) -> Owned:
    found, kind = view.use_case, page_kind(view.version)
    uncounted = uncounted_versions(found)
    # Mostly there is nothing, and to look for it again takes as long as all else.
    unseen = unseen_versions(found) if uncounted else []
    # Counts are those of the newest dictionary, unless a revision has come since.
    dictionary = kind.counts_dictionary and view.version in uncounted and view.version not in unseen
    gone = [each for each in deletions(found) if each.never_counted] if never_counted(found) else []
    deleted = sum(each.never_counted for each in gone)
    words = _("Reports were deleted before they were counted: %(count)s.")
    fewest = min((each.fewest_uncounted for each in gone), default=0)
    return Owned(
        waits=bool(unseen),
        uncounted=kind.uncounted(waits=bool(unseen)),
        dictionary_waits=dictionary,
        deleted=words % {"count": how_many(deleted, found.minimum_reports, fewest)} if deleted else "",
        in_quarantine=len(in_quarantine(owner, found)),
        # As long as it runs, more may come at any moment.
        may_aggregate=found.state == UseCase.State.RUNNING or bool(unseen) or dictionary,
        may_search=kind.chosen_window_is_searched(view.query),
    )


def _privacy(loss: Loss) -> str:
    words = _("ε = %(report)s per report, at most %(day)s per person and day.")
    return words % {"report": plain(loss.per_report), "day": plain(loss.per_day)}


def _active_instead(view: HistogramView) -> tuple[str, Choice] | None:
    active = next((each for each in known_versions(view.use_case) if each.state == Version.State.ACTIVE), None)
    if active is None or view.version is None or active == view.version:
        return None
    if active == view.default_version:
        words = _("Version %(active)s is active. You see version %(shown)s.")
    else:
        words = _("Version %(active)s is active, but has nothing to show yet. You see version %(shown)s.")
    there = Choice(f"?version={active.number}", _("Show version %(number)s") % {"number": active.number})
    return words % {"active": active.number, "shown": view.version.number}, there
