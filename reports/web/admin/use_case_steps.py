"""Steps of a use case that has begun: paused, archived, resumed; its raw reports deleted. Each is confirmed first."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from reports import access
from reports.formatting import whole
from reports.models import Run, UseCase
from reports.retention import (
    DayHoldings,
    Deleted,
    Totals,
    delete_all,
    deletions,
    how_many,
    in_words,
    inventory,
    totals,
)
from reports.web.admin.admin_pages import admin_page, page_of
from reports.web.change_history import note

SHOWN_DELETIONS = 10
# Steps that lead to each state.
STEPS = {
    UseCase.State.RUNNING: gettext_lazy("Resume"),
    UseCase.State.PAUSED: gettext_lazy("Pause"),
    UseCase.State.ARCHIVED: gettext_lazy("Archive"),
}


def owned_use_case(request: HttpRequest, pk: int) -> UseCase:
    """Return the use case, or 404 unless the person may change it."""
    return get_object_or_404(access.use_cases(cast(User, request.user), "edit"), pk=pk)


def life_of(use_case: UseCase) -> dict[str, Any]:
    """Return what the page of a use case says about its state and its raw reports."""
    gone = deletions(use_case)
    return {
        **_raw(use_case),
        "steps": [(state.value, step) for state, step in STEPS.items() if state != use_case.state],
        "asked": use_case.active_version() is not None,
        "deletions": [_numbers(each, use_case) for each in gone[:SHOWN_DELETIONS]],
        "more_deletions": len(gone) > SHOWN_DELETIONS,
    }


def _raw(use_case: UseCase) -> dict[str, Any]:
    """Return what two pages say about stored reports."""
    stored = (day for version in use_case.versions.all() for day in inventory(version, to_show=True))
    return {
        "raw": _numbers(totals(stored), use_case),
        "minimum": whole(use_case.minimum_reports),
        "running": use_case.state == UseCase.State.RUNNING,
    }


def _numbers(counted: Totals | Deleted | None, use_case: UseCase) -> dict[str, Any]:
    """Put the numbers of reports, stored or deleted, into words that disclose none below the minimum."""
    minimum = use_case.minimum_reports
    none = how_many(0, minimum)
    reports, uncounted = (none, none) if counted is None else in_words(counted, minimum)
    return {"counted": counted, "reports": reports, "uncounted": uncounted}


@require_http_methods(["GET", "HEAD", "POST"])
def confirm_state(request: HttpRequest, pk: int, state: str) -> HttpResponse:
    use_case = owned_use_case(request, pk)
    if state not in UseCase.State.values:
        raise Http404
    wanted = UseCase.State(state)
    if request.method != "POST" and use_case.state != wanted:
        return admin_page(request, use_case, str(STEPS[wanted]), "state", {"state": state})
    words = _("State: %(old)s → %(new)s") % {"old": use_case.get_state_display(), "new": wanted.label}
    # Only if it is not so already: of two equal requests at once, one does it.
    asked = UseCase.objects.filter(pk=use_case.pk).exclude(state=wanted)
    with transaction.atomic():
        if request.method == "POST" and asked.update(state=wanted):
            note(request, use_case, words)
            messages.success(request, words)
    return page_of(use_case)


@require_http_methods(["GET", "HEAD", "POST"])
def confirm_deletion(request: HttpRequest, pk: int) -> HttpResponse:
    use_case = owned_use_case(request, pk)
    if request.method != "POST":
        versions = use_case.versions.order_by("-number")
        by_version = ((version, totals(inventory(version, to_show=True))) for version in versions)
        more = {
            **_raw(use_case),
            "versions": [(version, _numbers(stored, use_case)) for version, stored in by_version if stored is not None],
            "runs": Run.objects.unfinished().filter(version__use_case=use_case).count(),
        }
        return admin_page(request, use_case, _("Delete raw reports"), "delete_reports", more)
    # Before it begins: each day is deleted by itself, and a request that takes long may be cut off between two.
    note(request, use_case, _("Ordered that all raw reports be deleted."))
    done = delete_all(use_case, cast(User, request.user))
    gone = totals(
        DayHoldings(
            each.version, each.day, each.reports, each.never_counted, each.fewest or 0, each.fewest_uncounted or 0
        )
        for each in done
    )
    summary = _summary(gone, _numbers(gone, use_case))
    note(request, use_case, summary)
    messages.success(request, summary)
    return page_of(use_case)


def _summary(gone: Totals | None, numbers: dict[str, Any]) -> str:
    """Say how much was deleted; of too little, not even whether there was any."""
    if gone is None:
        return _("Deleted all raw reports: %(reports)s.") % numbers
    words = ngettext(
        "Deleted all raw reports: %(reports)s of %(days)d day, %(uncounted)s of them never counted.",
        "Deleted all raw reports: %(reports)s of %(days)d days, %(uncounted)s of them never counted.",
        gone.days,
    )
    return words % {**numbers, "days": gone.days}
