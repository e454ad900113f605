"""Batches in quarantine: which wait, why, and letting them out."""

import uuid
from collections.abc import Iterable
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from reports.access import batches, use_cases
from reports.collection import NotQuarantined, TooLate, release, waited_too_long
from reports.collection.ingest import Evidence, chance_in_words, evidence, findings_of
from reports.formatting import whole
from reports.models import Batch, Finding, UseCase, Version
from reports.models.use_cases import WAITING_DAYS
from reports.privacy import undetectable
from reports.web.pages.locales import locale_name
from reports.web.pages.people import person
from reports.web.pages.tables import Cell, Heading, Row, Table, number


@require_safe
def quarantine(request: HttpRequest, slug: str) -> HttpResponse:
    """The batches of a use case that wait for a decision."""
    found = get_object_or_404(use_cases(person(request), "edit"), slug=slug)
    theirs = in_quarantine(person(request), found)
    context = {
        "use_case": found,
        "table": _table(theirs) if theirs else None,
        "of_others": _waiting(found).count() - len(theirs),
        "waiting_days": WAITING_DAYS,
    }
    return render(request, "reports/quarantine.html", context)


def _table(found: Iterable[Batch]) -> Table:
    rows: list[Row] = [
        [Cell(str(batch.pk), reverse("batch", args=[batch.pk])), date_format(batch.day), whole(batch.accepted)]
        for batch in found
    ]
    return Table(_("Waiting"), [Heading(_("Batch")), Heading(_("Day")), number(_("Reports"))], rows, "waiting")


def decision(request: HttpRequest, batch: Batch, what: str) -> dict[str, object]:
    """Confirmation before a batch is released or withdrawn: which it is, and how much is in it."""
    return {
        "batch": batch,
        "what": what,
        "quarantined": batch.state == Batch.State.QUARANTINED,
        "accepted": whole(batch.accepted),
        "use_cases": use_cases(person(request), "view").filter(pk__in=batch.use_case_ids),
        # Who releases it shall have seen that.
        "evidence": evidence_by_place(batch) if what == "release" else [],
    }


def in_quarantine(owner: User, use_case: UseCase) -> list[Batch]:
    """Batches with reports for the use case that the user may decide about."""
    waiting = _waiting(use_case)
    # Mostly there is none, and every page of a use case asks.
    return list(batches(owner) & waiting) if waiting.exists() else []


def _waiting(use_case: UseCase) -> QuerySet[Batch]:
    return Batch.objects.filter(state=Batch.State.QUARANTINED, use_case_ids__contains=[use_case.pk])


class Place(NamedTuple):
    """Suspicious findings in one version, locale and stream."""

    name: str
    chance: str
    findings: list[Evidence]
    repeated: bool


def evidence_by_place(batch: Batch) -> list[Place]:
    """Evidence against a batch, in words; in each place the strongest is first."""
    places = []
    for findings in findings_of(batch):
        words = [evidence(each, _place(each)) for each in findings]
        chance = chance_in_words(min(each.p_value for each in findings))
        places.append(Place(words[0].where, chance, words, words[0].of_repetition))
    return places


def _place(finding: Finding) -> str:
    """The version, and the locale unless the finding is about all of them."""
    return f"{finding.version}, {locale_name(finding.locale)}" if finding.locale else str(finding.version)


def undetectable_in(batch: Batch) -> list[tuple[Version, list[str]]]:
    """Return the faults in reports of each version that waits that would go unnoticed."""
    reports: dict[Version, int] = {}
    for shard in batch.quarantined_shards.select_related("version__use_case"):
        of_reports = shard.version.mechanism.report_streams
        size = sum(each.size for each in shard.slices() if each.stream in of_reports)
        reports[shard.version] = reports.get(shard.version, 0) + size
    return [(version, undetectable(version, n)) for version, n in reports.items()]


@require_http_methods(["GET", "HEAD", "POST"])
def release_batch(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Ask first, then let a batch out of quarantine."""
    found = get_object_or_404(batches(person(request)), pk=pk)
    waits = found.state == Batch.State.QUARANTINED
    if request.method != "POST" and waits and not waited_too_long(found):
        return render(request, "reports/batch_decision.html", decision(request, found, "release"))
    try:
        if request.method != "POST":
            raise TooLate if waits else NotQuarantined
        released = release(found, person(request))
    except TooLate:
        messages.error(request, _("Nobody decided about the batch in time: its reports are about to be deleted."))
    except NotQuarantined:
        messages.error(request, _("The batch does not wait in quarantine any more."))
    else:
        day = date_format(released.day)
        messages.success(request, _("The batch is released: it is counted with the reports of %(day)s.") % {"day": day})
    return redirect("batch", pk)
