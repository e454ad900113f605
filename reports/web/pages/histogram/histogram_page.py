"""The page of a use case: a histogram, or why there is none; the same as files, and where it is embedded."""

from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import owned, use_cases
from reports.collection.retention import deletions, how_many
from reports.demo.coming import days_to_come
from reports.formatting import plain, whole
from reports.models import SavedView, UseCase, Version
from reports.privacy import Loss, privacy_loss
from reports.results import (
    HistogramQuery,
    HistogramView,
    QueryError,
    histogram_table,
    histogram_view,
    known_versions,
    page_address,
    with_versions,
)
from reports.runs import DISCOVERY_DAYS, uncounted_versions, unseen_versions
from reports.viewings import record_viewing
from reports.web.pages.addresses import DEFAULT_DAYS, DEFAULT_TOP, link, page_parameters
from reports.web.pages.bookmarks.visits import remember
from reports.web.pages.choices import Choice
from reports.web.pages.embed.embedded import Embedded
from reports.web.pages.errors import Wrong, refusal
from reports.web.pages.exports import Export, Form, results_file
from reports.web.pages.histogram.histogram_chart import MOST_BARS
from reports.web.pages.histogram.histogram_controls import Controls, controls
from reports.web.pages.histogram.histogram_result import HistogramResult, histogram_result
from reports.web.pages.inapplicable_parameters import without_what_is_missing
from reports.web.pages.kinds import PageKind, page_kind
from reports.web.pages.people import person
from reports.web.pages.periods import stretches
from reports.web.pages.quarantine_page import in_quarantine
from reports.web.pages.version_words import Counted, counted_elsewhere
from reports.web.pages.windows import as_sent


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


@dataclass(frozen=True)
class HistogramPage:
    """All that the page of a use case shows."""

    use_case: UseCase
    view: HistogramView
    kind: PageKind
    controls: Controls | None
    result: HistogramResult | None
    running: bool
    minimum: str
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


@login_required
@require_safe
def use_case(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(with_versions(use_cases(person(request), "view")), slug=slug)
    try:
        view = _view(found, _page_query(as_sent(request.GET)))
    except QueryError as error:
        return refusal(request, found, error, partial(_form, found))
    if request.GET.dict() != page_parameters(view.query, view):
        # One view, one address: without the defaults that a form sends.
        return redirect(f"{request.path}{link(view.query, view)}".rstrip("?"))
    if view.histogram is not None:
        record_viewing(person(request), found, "page")
        remember(request, found, SavedView.Page.EXPLORE)
    page = _page(request, found, view)
    return render(request, "reports/use_case.html", {"page": page, "use_case": found, "result": page.result})


def _page_query(sent: QueryDict) -> HistogramQuery:
    query = HistogramQuery.from_parameters(sent)
    query = replace(query, top=query.top or DEFAULT_TOP)
    if not query.has_window:
        # Lists of words have no such windows, and leave it out.
        query = replace(query, days=DEFAULT_DAYS)
    if query.top is not None and query.top > MOST_BARS:
        raise QueryError("top", _("A page shows at most %(most)s elements.") % {"most": MOST_BARS})
    if query.category and query.group == "category":
        # A category is looked into by its elements.
        query = replace(query, group="")
    return query


def _view(found: UseCase, query: HistogramQuery, *, results: bool = True) -> HistogramView:
    """The view, without what the version does not have: a form sends that along if another is chosen."""
    return without_what_is_missing(lambda asked: histogram_view(found, asked, results=results), query)


def _form(found: UseCase, sent: QueryDict, wrong: Wrong) -> dict[str, object] | None:
    """The form's context, to be shown again."""
    view = _view(found, _page_query(sent), results=False)
    shown = controls(view)
    if shown is None:
        return None
    shown = replace(shown, window=wrong(shown.window))
    form = {"controls": shown, "form": "reports/_controls.html", "tab": "histogram"}
    return form | {"query": view.query, "locale": view.query.locale}


def _page(request: HttpRequest, found: UseCase, view: HistogramView) -> HistogramPage:
    histogram, version, query = view.histogram, view.version, view.query
    loss = privacy_loss(found, version) if version is not None else None
    newest = HistogramQuery(locale=view.locale, version=query.version)
    return HistogramPage(
        use_case=found,
        view=view,
        kind=page_kind(version),
        controls=controls(view),
        result=histogram_result(view, histogram, loss, request) if histogram is not None and loss is not None else None,
        running=found.state == UseCase.State.RUNNING,
        minimum=whole(found.minimum_reports),
        discovery_days=DISCOVERY_DAYS,
        coming=days_to_come(found),
        active_instead=_active_instead(view),
        left_out=stretches(view.left_out),
        elsewhere=counted_elsewhere(view.elsewhere, view.locale),
        newest=f"?{newest.encoded()}",
        owned=_owned(person(request), view) if found.pk in owned(person(request)) else None,
        privacy=_privacy(loss) if loss is not None else "",
        further=_further(view) if view.window is not None and view.total else [],
    )


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
    gone = [each for each in deletions(found) if each.never_counted]
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


def embedded(found: UseCase, parameters: QueryDict) -> Embedded | None:
    """Content of an embedded page; None if there is nothing to see. Raises `QueryError`."""
    query = HistogramQuery.from_parameters(parameters)
    if query.words == "rejected":
        return None
    if query.words == "all":
        # Strangers see no rejected word, regardless of who made the link, and when.
        query = replace(query, words="")
    view = histogram_view(found, replace(query, top=min(query.top or DEFAULT_TOP, MOST_BARS)))
    if view.histogram is None or view.version is None or not view.rows:
        return None
    result = histogram_result(view, view.histogram, privacy_loss(found, view.version), None)
    return Embedded("reports/_histogram.html", result, view.exact().encoded(), result.finding)


@login_required
@require_safe
def use_case_file(request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
    """The histogram of a window."""

    def find(found: UseCase) -> Export | None:
        view = histogram_view(found, HistogramQuery.from_parameters(request.GET))
        document = view.document()
        if document is None:
            return None
        document["address"] = page_address(request, "use_case", found, view.exact())
        name = "-".join(str(document[part]) for part in ("use_case", "locale", "first_day", "last_day"))
        return Export(document, histogram_table(document), name)

    return results_file(request, slug, form, find, _("No histogram is published for this window."))
