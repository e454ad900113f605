"""The page for those who see to it that everything goes on: superusers, and owners for what is theirs."""

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reports.access import operates, steered_evaluations, use_cases
from reports.jobs import Progress, progress_by_job
from reports.models import Evaluation, Export, UseCase
from reports.models.failures import CANCELLED
from reports.notifications import silent_locales
from reports.retention import clock_doubt
from reports.web.pages.bookmarks.subscription_form import ways_to
from reports.web.pages.evaluation.evaluations_page import in_few_words
from reports.web.pages.locales import locale_label
from reports.web.pages.operations.left_out import REMEMBERED, dropped, left_out
from reports.web.pages.operations.operations_runs import LISTED, hosts, runs_of
from reports.web.pages.operations.operations_storage import storage
from reports.web.pages.operations.operations_waiting import in_quarantine, waiting
from reports.web.pages.people import person


@require_safe
@never_cache
def operations(request: HttpRequest) -> HttpResponse:
    owned = _owned(request)
    runs, theirs, evaluations = runs_of(owned), owned.in_bulk(), _evaluations(person(request))
    context: dict[str, object] = {
        "runs": runs,
        "hosts": hosts(person(request)),
        "evaluations": evaluations,
        "anything_under_way": bool(runs.under_way) or any(not one.finished for one, _words in evaluations),
        "waiting": waiting(theirs, runs),
    }
    if "live" in request.GET:
        # The fragment with which a script replaces the part that changes.
        return render(request, "reports/_operations_live.html", context)
    context |= {
        "anything": bool(theirs),
        "clock": clock_doubt(),
        "left_out": left_out(person(request), theirs),
        "in_quarantine": in_quarantine(theirs),
        "dropped": dropped(theirs),
        "silent": [
            (theirs[each.use_case], each, locale_label(each.locale))
            for each in silent_locales()
            if each.use_case in theirs
        ],
        "remembered": REMEMBERED,
        "storage": storage(theirs),
        "ways": ways_to(person(request)),
        "export_to": settings.LDPSITE_EXPORT_TO,
        "export": Export.objects.filter(address=settings.LDPSITE_EXPORT_TO).first(),
    }
    return render(request, "reports/operations.html", context)


def _evaluations(operator: User) -> list[tuple[Progress, str]]:
    """Evaluations under way, or failed and not cancelled, the newest first, with a few words about each."""
    theirs = steered_evaluations(operator).exclude(state=Evaluation.State.FINISHED).exclude(failure=CANCELLED)
    found = list(theirs.select_related("use_case").defer("document", "lists")[:LISTED])
    return list(zip(progress_by_job(found).values(), map(in_few_words, found), strict=True))


def _owned(request: HttpRequest) -> QuerySet[UseCase]:
    """The use cases that a user looks after."""
    if not operates(person(request)):
        raise Http404
    return use_cases(person(request), "edit")
