"""The page that says what changed in a use case, and the same as files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from reports.access import owned, use_cases
from reports.formatting import day_range, percent, whole
from reports.models import SavedView, UseCase, Version
from reports.publication import Days
from reports.results import QueryError, page_address, with_versions
from reports.results.changes import ChangesQuery, ChangesView, changes_document, changes_table, changes_view
from reports.results.comparison import FALSE_DISCOVERY_RATE
from reports.viewings import record_viewing
from reports.web.pages import provenance_facts as origin
from reports.web.pages.addresses import downloads, exact_address, short_link, short_parameters
from reports.web.pages.bookmarks.visits import remember
from reports.web.pages.changes import changes_chart, changes_words
from reports.web.pages.changes.changes_controls import Controls
from reports.web.pages.changes.changes_table import Line, OfLocale, digits_of, lines, of_locales, windows_of
from reports.web.pages.choices import Choice, locale_choices
from reports.web.pages.embed.embedded import Embedded
from reports.web.pages.errors import refusal
from reports.web.pages.exports import Export, Form, file_views, results_file
from reports.web.pages.figures import Chart, Result
from reports.web.pages.inapplicable_parameters import without_what_is_missing
from reports.web.pages.kinds import PageKind, page_kind
from reports.web.pages.locales import UNDIVIDED
from reports.web.pages.people import person
from reports.web.pages.periods import not_counted_words
from reports.web.pages.windows import as_sent

_TOPS: Final = (20, 50, 100, 200)


@login_required
@require_safe
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(with_versions(use_cases(person(request), "view")), slug=slug)
    try:
        view = without_what_is_missing(partial(changes_view, found), _page_query(as_sent(request.GET)))
    except QueryError as error:
        return refusal(request, found, error, lambda _sent, _wrong: None)
    if request.GET.dict() != short_parameters(view.query, view, top=str(_TOPS[0])):
        # One view, one address: without the defaults that a form sends.
        return redirect(f"{request.path}{_link(view.query, view)}".rstrip("?"))
    if view.compared:
        record_viewing(person(request), found, "page")
        remember(request, found, SavedView.Page.CHANGES)
    page = _page(request, found, view)
    return render(request, "reports/changes.html", {"page": page, "use_case": found, "result": page.result})


def _page_query(sent: QueryDict) -> ChangesQuery:
    query = ChangesQuery.from_parameters(sent)
    query = replace(query, top=query.top or _TOPS[0])
    if query.top is not None and query.top > _TOPS[-1]:
        raise QueryError("top", _("A page shows at most %(most)s elements.") % {"most": _TOPS[-1]})
    return query


def _link(query: ChangesQuery, view: ChangesView) -> str:
    return short_link(query, view, top=str(_TOPS[0]))


@dataclass(frozen=True, kw_only=True)
class ChangesResult(Result):
    """All that is shown of what changed."""

    headline: str
    windows: str
    lines: list[Line]
    of_locales: list[OfLocale]
    notes: list[str]
    # How many rows there are, and how many the chart has, if that is fewer.
    total: str
    more: int
    chart_rows: int


@dataclass(frozen=True)
class ChangesPage:
    """All that the page shows."""

    view: ChangesView
    kind: PageKind
    controls: Controls | None
    owner: bool
    minimum: str
    result: ChangesResult | None


def _page(request: HttpRequest, found: UseCase, view: ChangesView) -> ChangesPage:
    version, now, before = view.version, view.now, view.before
    result = None
    if version is not None and now is not None and before is not None and view.all_rows:
        result = _result(request, view, version, now, before)
    return ChangesPage(
        view=view,
        kind=page_kind(version),
        controls=None if version is None else _controls(version, view),
        owner=found.pk in owned(person(request)),
        minimum=whole(found.minimum_reports),
        result=result,
    )


def _controls(version: Version, view: ChangesView) -> Controls:
    query = view.query
    found = Controls.of(version, query, view.now, _TOPS, query.top or _TOPS[0], partial(_link, view=view))
    locales = locale_choices(version, query.locale or "")
    return replace(found, locales=[Choice("", _("All locales"), query.locale is None), *locales] if locales else [])


def _result(request: HttpRequest | None, view: ChangesView, version: Version, now: Days, before: Days) -> ChangesResult:
    """Without a request as strangers see it where it is embedded: it leads nowhere, and tells of no rejected word."""
    digits, exactly = digits_of(view.compared), view.exact().encoded()
    headline = changes_words.headline(version, now, view.clear, view.tested, digits)
    windows = _("%(now)s, compared with %(before)s") % {"now": day_range(*now), "before": day_range(*before)}
    provenance, caption = _provenance(view, version), how_to_read()
    shown = lines(version, view.rows, digits, windows_of(view.pairs), view.query.version)
    of_each = of_locales(view, lambda locale: _link(replace(view.query, locale=locale), view))
    if request is None:
        shown, of_each = [line.unlinked() for line in shown], [each._replace(link="") for each in of_each]
    chart = Chart(
        figure=changes_chart.figure(version, view.rows, digits),
        summary=changes_chart.summary(view.rows),
        name=f"{view.use_case.slug}-changes",
    ).pictured(
        request,
        exactly,
        title=_("%(title)s: %(fact)s") % {"title": view.use_case.title, "fact": windows},
        caption=caption,
        provenance=provenance,
        links=[line.page for line in shown],
    )
    return ChangesResult(
        headline=headline,
        windows=windows,
        lines=shown,
        of_locales=of_each,
        notes=_notes(view, version, hidden=0 if request is None else view.hidden),
        total=_total(view),
        more=len(view.all_rows) - len(shown),
        chart=chart,
        chart_rows=changes_chart.MOST_ROWS if len(shown) > changes_chart.MOST_ROWS else 0,
        caption=caption,
        provenance=provenance,
        downloads=downloads(view.use_case.slug, exactly, **file_views("changes")) if request is not None else (),
        exactly=exact_address(request, exactly) if request is not None else "",
        element_lang=UNDIVIDED,
    )


def _total(view: ChangesView) -> str:
    words = ngettext(
        "%(clear)s of %(count)s change is clear.", "%(clear)s of %(count)s changes are clear.", len(view.all_rows)
    )
    return words % {"clear": whole(len(view.clear)), "count": whole(len(view.all_rows))}


def how_to_read() -> str:
    return _(
        # xgettext:no-python-format
        "Shares are estimates, of reports and not of people, with 95 % intervals. A change is clear if its interval"
        " does not include zero and a test over all rows of all locales together agrees: on average, at most 5 % of"
        " the changes that are called clear are chance (false discovery rate, Benjamini–Hochberg). “New” and “gone” are"
        " below the threshold T in one of the windows, which"
        " does not mean zero: the true share may be as much as is given there, which is somewhat more than T because"
        " estimates err, and of the change only a bound is known. Of many intervals some leave out zero by chance: rows"
        " where the test does not agree have a *."
    )


def _notes(view: ChangesView, version: Version, hidden: int) -> list[str]:
    """Notes on rows that are not compared, or not as the rest is."""
    found = []
    missing = {each.element: each for pair in view.compared for each in pair.not_counted}
    found += not_counted_words(version, missing.values())
    others = {each.version.number for pair in view.compared for each in (pair.now, pair.before) if each is not None} - {
        version.number
    }
    if others:
        numbers = ", ".join(map(str, sorted(others)))
        words = ngettext(
            "Some days were counted by version %(numbers)s: their errors have nothing in common with the others.",
            "Some days were counted by the versions %(numbers)s: their errors have nothing in common with the others.",
            len(others),
        )
        found.append(words % {"numbers": numbers})
    if hidden:
        found.append(_hidden(hidden))
    return found


def _hidden(count: int) -> str:
    words = ngettext("%(count)s rejected word is not shown.", "%(count)s rejected words are not shown.", count)
    return words % {"count": whole(count)}


def _provenance(view: ChangesView, version: Version) -> origin.Facts:
    sides: Sequence[tuple[str, str]] = ((_("Newer window"), "now"), (_("Window before"), "before"))
    revision = view.compared[0].now.histogram.revision if view.compared and view.compared[0].now else None
    facts = [
        *origin.of_version(version),
        *origin.of_dictionary(revision if version == view.version else None),
        (_("False discovery rate"), percent(FALSE_DISCOVERY_RATE, 0)),
        (_("Changes tested"), whole(view.tested)),
        *origin.of_intervals(),
    ]
    for name, side in sides:
        listed = [getattr(pair, side).histogram for pair in view.compared]
        facts += origin.beside(name, origin.of_windows(listed))
    return facts


def embedded(found: UseCase, parameters: QueryDict) -> Embedded | None:
    """Content of an embedded page; None if there is nothing to see. Raises `QueryError`."""
    query = ChangesQuery.from_parameters(parameters)
    view = changes_view(found, replace(query, top=min(query.top or _TOPS[0], changes_chart.MOST_ROWS)))
    if view.version is None or view.now is None or view.before is None or not view.all_rows:
        return None
    result = _result(None, view, view.version, view.now, view.before)
    return Embedded("reports/_changes_result.html", result, view.exact().encoded(), result.headline)


@login_required
@require_safe
def changes_file(request: HttpRequest, slug: str, form: Form) -> HttpResponseBase:
    """The page's query, rows and order as a file."""

    def find(use_case: UseCase) -> Export | None:
        view = changes_view(use_case, ChangesQuery.from_parameters(request.GET))
        document = changes_document(view)
        if document is None:
            return None
        document["address"] = page_address(request, "changes", use_case, view.exact())
        return Export(document, changes_table(document), _name(document))

    return results_file(request, slug, form, find, _("There are no two windows to compare here."))


def _name(document: dict[str, Any]) -> str:
    return "-".join([document["use_case"], "changes", *document["now"].values()])
