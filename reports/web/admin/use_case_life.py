"""The life of a use case after it has begun: paused, archived, resumed; its raw reports deleted on demand."""

from typing import Any, NamedTuple, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from reports import access
from reports.collection.retention import (
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
from reports.formatting import whole
from reports.models import Run, UseCase
from reports.web.admin.history import note

SHOWN_DELETIONS = 10


class Step(NamedTuple):
    """Words for the step into a state: its button, the title of its page, and the message once it is done."""

    button: Promise
    title: Promise
    done: Promise


STEPS = {
    UseCase.State.RUNNING: Step(
        gettext_lazy("Resume"), gettext_lazy("Resume the use case"), gettext_lazy("The use case is running.")
    ),
    UseCase.State.PAUSED: Step(
        gettext_lazy("Pause"), gettext_lazy("Pause the use case"), gettext_lazy("The use case is paused.")
    ),
    UseCase.State.ARCHIVED: Step(
        gettext_lazy("Archive"), gettext_lazy("Archive the use case"), gettext_lazy("The use case is archived.")
    ),
}


def owned_use_case(request: HttpRequest, pk: int) -> UseCase:
    """Return the use case, or 404 unless the person may change it."""
    return get_object_or_404(access.use_cases(cast(User, request.user), "edit"), pk=pk)


def life_of(use_case: UseCase) -> dict[str, Any]:
    """Return what the page of a use case says about its state and its raw reports."""
    gone = deletions(use_case)
    return {
        "steps": [(state.value, step.button) for state, step in STEPS.items() if state != use_case.state],
        "running": use_case.state == UseCase.State.RUNNING,
        "asked": use_case.active_version() is not None,
        "raw": _raw(use_case),
        "minimum": whole(use_case.minimum_reports),
        "deletions": [_numbers(each, use_case) for each in gone[:SHOWN_DELETIONS]],
        "more_deletions": len(gone) > SHOWN_DELETIONS,
    }


def _raw(use_case: UseCase) -> dict[str, Any]:
    stored = (day for version in use_case.versions.all() for day in inventory(version, to_show=True))
    return _numbers(totals(stored), use_case)


def _numbers(counted: Totals | Deleted | None, use_case: UseCase) -> dict[str, Any]:
    """Put the numbers of reports, stored or deleted, into words that disclose none below the minimum."""
    minimum = use_case.minimum_reports
    none = how_many(0, minimum)
    reports, uncounted = (none, none) if counted is None else in_words(counted, minimum)
    return {"counted": counted, "reports": reports, "uncounted": uncounted}


def _page(request: HttpRequest, use_case: UseCase, title: str, template: str, more: dict[str, Any]) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "title": title,
        "subtitle": str(use_case),
        "use_case": use_case,
        "opts": use_case._meta,
    }
    return render(request, f"admin/reports/usecase/{template}.html", context | more)


@require_http_methods(["GET", "HEAD", "POST"])
def confirm_state(request: HttpRequest, pk: int, state: str) -> HttpResponse:
    use_case = owned_use_case(request, pk)
    if state not in UseCase.State.values:
        raise Http404
    wanted = UseCase.State(state)
    step = STEPS[wanted]
    if request.method != "POST":
        if use_case.state == wanted:
            return redirect("admin:reports_usecase_change", use_case.pk)
        return _page(request, use_case, str(step.title), "state", {"state": state, "button": step.button})
    with transaction.atomic():
        # Only if it is not so already: of two equal requests at once, one does it.
        if UseCase.objects.filter(pk=use_case.pk).exclude(state=wanted).update(state=wanted):
            words = _("State: %(old)s → %(new)s")
            note(request, use_case, words % {"old": use_case.get_state_display(), "new": wanted.label})
    messages.success(request, str(step.done))
    return redirect("admin:reports_usecase_change", use_case.pk)


@require_http_methods(["GET", "HEAD", "POST"])
def confirm_deletion(request: HttpRequest, pk: int) -> HttpResponse:
    use_case = owned_use_case(request, pk)
    if request.method != "POST":
        versions = use_case.versions.order_by("-number")
        by_version = ((version, totals(inventory(version, to_show=True))) for version in versions)
        more = {
            "raw": _raw(use_case),
            "minimum": whole(use_case.minimum_reports),
            "versions": [(version, _numbers(stored, use_case)) for version, stored in by_version if stored is not None],
            "running": use_case.state == UseCase.State.RUNNING,
            "runs": Run.objects.unfinished().filter(version__use_case=use_case).count(),
        }
        return _page(request, use_case, _("Delete raw reports"), "delete_reports", more)
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
    return redirect("admin:reports_usecase_change", use_case.pk)


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
