"""The page of changes in all use cases that a user may see."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from reports.access import use_cases
from reports.formatting import day_range, whole
from reports.models import UseCase
from reports.results.changes import ChangeRow, UseCaseChanges, site_changes, site_changes_document, site_changes_table
from reports.viewings import What, record_viewings
from reports.web.pages.changes import changes_words
from reports.web.pages.changes.changes_chart import ends
from reports.web.pages.changes.changes_page import how_to_read
from reports.web.pages.changes.changes_table import Line, Mark, lines
from reports.web.pages.compare.comparison_numbers import digits_for
from reports.web.pages.exports import Export, Form, downloads, file_of
from reports.web.pages.people import person

# For each use case; its own page has all.
_MOST_LINES = 5


@dataclass(frozen=True)
class Section:
    """A use case with clear changes, the largest of them in lines."""

    use_case: UseCase
    headline: str
    windows: str
    lines: list[Line]
    # How many more are clear.
    more: int


@require_safe
def changes_of_site(request: HttpRequest) -> HttpResponse:
    visible, found = _found(request, "page")
    shown = [each.version.use_case for each in found]
    changed = sorted((each for each in found if each.clear), key=lambda each: -len(each.clear))
    context = {
        "headline": headline(found, changed),
        "windows": _common_windows(changed),
        "sections": [_section(each, _longest(changed)) for each in changed],
        "quiet": [each.version.use_case for each in found if not each.clear],
        "waiting": [use_case for use_case in visible if use_case not in shown],
        "how_to_read": how_to_read(),
        "downloads": downloads("site_changes"),
    }
    return render(request, "reports/site_changes.html", context)


def site_changes_file(request: HttpRequest, form: Form) -> HttpResponseBase:
    """All clear changes of all use cases, of which the page shows the largest."""
    _visible, found = _found(request, form)
    document = site_changes_document(found)
    document["address"] = request.build_absolute_uri(reverse("site_changes"))
    newest = max((each.now[1].isoformat() for each in found), default="")
    return file_of(Export(document, site_changes_table(document), f"changes-{newest}".rstrip("-")), form)


def _found(request: HttpRequest, what: What) -> tuple[list[UseCase], list[UseCaseChanges]]:
    """Return the running use cases that the reader may see, and what changed in them; note that it was seen."""
    running = use_cases(person(request), "view").exclude(state=UseCase.State.ARCHIVED)
    visible = list(running.order_by("title", "pk"))
    found = site_changes(visible)
    record_viewings(person(request), [each.version.use_case for each in found], what)
    return visible, found


def _windows(found: UseCaseChanges) -> str:
    words = _("%(now)s, compared with %(before)s")
    return words % {"now": day_range(*found.now), "before": day_range(*found.before)}


def _common_windows(changed: Sequence[UseCaseChanges]) -> str:
    """Return the windows that most of the tables are about, said once above them."""
    windows = [_windows(each) for each in changed]
    return max(windows, key=windows.count, default="")


def headline(found: Sequence[UseCaseChanges], changed: Sequence[UseCaseChanges]) -> str:
    """Say how much changed; empty where there is nothing to compare."""
    if not found:
        return ""
    count = sum(len(each.clear) for each in changed)
    if not count:
        return _("Nothing changed clearly in the newest week: each difference to the week before may be chance.")
    changes = ngettext("%(count)s change is clear", "%(count)s changes are clear", count) % {"count": whole(count)}
    words = ngettext(
        "%(changes)s in the newest week, in %(changed)s of %(all)s use case.",
        "%(changes)s in the newest week, in %(changed)s of %(all)s use cases.",
        len(found),
    )
    return words % {"changes": changes, "changed": whole(len(changed)), "all": whole(len(found))}


def _section(found: UseCaseChanges, longest: float) -> Section:
    version, digits, shown = found.version, digits_for(found.threshold), found.clear[:_MOST_LINES]
    drawn = lines(version, shown, digits, lambda _locale: (found.now, found.before))
    return Section(
        use_case=version.use_case,
        headline=changes_words.headline(version, found.now, found.clear, found.tested, digits),
        windows=_windows(found),
        lines=[replace(line, mark=_mark(row, longest)) for line, row in zip(drawn, shown, strict=True)],
        more=len(found.clear) - len(shown),
    )


def _longest(changed: Sequence[UseCaseChanges]) -> float:
    """Return how far the differences shown reach from 0, with their intervals: all are drawn on one scale."""
    found = [ends(row) for each in changed for row in each.clear[:_MOST_LINES]]
    return max((max(abs(value - less), abs(value + more)) for value, less, more in found), default=1.0) or 1.0


def _mark(row: ChangeRow, longest: float) -> Mark:
    value, less, more = (100 * end / longest for end in ends(row))
    parts = (min(value, 0.0), abs(value), value - less, value + more)
    return Mark(*(round(part, 1) for part in parts))
