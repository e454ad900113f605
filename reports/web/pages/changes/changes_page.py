"""The page that says what changed in a use case, and the same as files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from django.contrib.auth.models import User
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reports.formatting import day_range, percent, whole
from reports.models import SavedView, UseCase, Version
from reports.publication import Days
from reports.results import Table
from reports.results.changes import ChangesQuery, ChangesView, changes_document, changes_table, changes_view
from reports.results.comparison import FALSE_DISCOVERY_RATE
from reports.web.pages import provenance_facts as origin
from reports.web.pages.addresses import short_link, short_parameters
from reports.web.pages.changes import changes_chart, changes_words
from reports.web.pages.changes.changes_controls import Controls
from reports.web.pages.changes.changes_table import Line, OfLocale, digits_of, lines, of_locales, windows_of
from reports.web.pages.choices import Choice, locale_choices
from reports.web.pages.figures import Chart, Result
from reports.web.pages.periods import not_counted_words
from reports.web.pages.results_page import Parameters, ResultsPage

_TOPS: Final = (20, 50, 100, 200)


def _link(query: ChangesQuery, view: ChangesView) -> str:
    return short_link(query, view, top=str(_TOPS[0]))


@dataclass(frozen=True, kw_only=True)
class ChangesResult(Result):
    """All that is shown of what changed."""

    windows: str
    lines: list[Line]
    of_locales: list[OfLocale]
    notes: list[str]
    # How many rows there are, and how many the chart has, if that is fewer.
    total: str
    more: int
    chart_rows: int


class ChangesPage(ResultsPage[ChangesQuery, ChangesView]):
    page = SavedView.Page.CHANGES
    template = "reports/changes.html"
    result_template = "reports/_changes_result.html"
    tab = "changes"
    query = ChangesQuery
    usual_top, most_top = _TOPS[0], _TOPS[-1]
    files = "changes"
    nothing_to_write = gettext_lazy("There are no two windows to compare here.")

    def find(
        self, use_case: UseCase, query: ChangesQuery, reader: User | None = None, *, results: bool = True
    ) -> ChangesView:
        return changes_view(use_case, query)

    def parameters(self, query: ChangesQuery, view: ChangesView) -> Parameters:
        return short_parameters(query, view, top=str(_TOPS[0]))

    def is_shown(self, view: ChangesView) -> bool:
        return bool(view.compared)

    def controls(self, view: ChangesView) -> Controls | None:
        version, query = view.version, view.query
        if version is None:
            return None
        found = Controls.of(version, query, view.now, _TOPS, query.top or _TOPS[0], partial(_link, view=view))
        locales = locale_choices(version, query.locale or "")
        return replace(found, locales=[Choice("", _("All locales"), query.locale is None), *locales] if locales else [])

    def result(self, view: ChangesView, request: HttpRequest | None) -> ChangesResult | None:
        if view.version is None or view.now is None or view.before is None or not view.all_rows:
            return None
        return _result(request, view, view.version, view.now, view.before)

    def document(self, view: ChangesView) -> dict[str, Any] | None:
        return changes_document(view)

    def table(self, document: dict[str, Any]) -> Table:
        return changes_table(document)

    def file_name(self, document: dict[str, Any]) -> str:
        return "-".join([document["use_case"], "changes", *document["now"].values()])

    def embedded_view(self, use_case: UseCase, parameters: QueryDict) -> ChangesView | None:
        """Find what strangers may see: no more rows than the chart has."""
        view = super().embedded_view(use_case, parameters)
        if view is None:
            return None
        most = changes_chart.MOST_ROWS
        return replace(view, query=replace(view.query, top=min(view.query.top or most, most)))


CHANGES = ChangesPage()


def _result(request: HttpRequest | None, view: ChangesView, version: Version, now: Days, before: Days) -> ChangesResult:
    """Return what strangers see too, if there is no request: it leads nowhere, and tells of no rejected word."""
    digits = digits_of(view.compared)
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
        view.exact().encoded(),
        title=_("%(title)s: %(fact)s") % {"title": view.use_case.title, "fact": windows},
        caption=caption,
        provenance=provenance,
        links=[line.page for line in shown],
    )
    return ChangesResult(
        finding=changes_words.headline(version, now, view.clear, view.tested, digits),
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
