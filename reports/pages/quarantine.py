"""Batches in quarantine: which wait, why, and letting them out."""

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from reports.access import batches, use_cases
from reports.ingest import Evidence, NotQuarantined, evidence, release
from reports.models import Batch, UseCase, Version
from reports.pages.locales import locale_name
from reports.pages.numbers import whole
from reports.pages.people import person
from reports.undetectable import undetectable


@login_required
@require_safe
def quarantine(request: HttpRequest, slug: str) -> HttpResponse:
    """The batches of a use case that wait for a decision."""
    found = get_object_or_404(use_cases(person(request), "edit"), slug=slug)
    waiting = [(batch, whole(batch.accepted)) for batch in in_quarantine(person(request), found)]
    return render(request, "reports/quarantine.html", {"use_case": found, "waiting": waiting})


def in_quarantine(owner: User, use_case: UseCase) -> list[Batch]:
    """Those with reports for the use case that somebody may decide about."""
    waiting = {"state": Batch.State.QUARANTINED, "use_case_ids__contains": [use_case.pk]}
    # Mostly there is none, and every page of a use case asks.
    return list(batches(owner).filter(**waiting)) if Batch.objects.filter(**waiting).exists() else []


def evidence_of(batch: Batch) -> list[Evidence]:
    """What makes a batch suspicious, the least likely first."""
    findings = batch.findings.select_related("version__use_case").order_by("p_value", "test", "pk")
    return [evidence(finding, f"{finding.version}, {locale_name(finding.locale)}") for finding in findings]


def undetectable_in(batch: Batch) -> list[tuple[Version, list[str]]]:
    """For each version that waits, what could be wrong with its reports and nobody would see it."""
    reports: dict[Version, int] = {}
    for shard in batch.quarantined_shards.select_related("version__use_case"):
        if shard.stream == shard.version.mechanism.streams[0]:
            reports[shard.version] = reports.get(shard.version, 0) + shard.size
    return [(version, undetectable(version, n)) for version, n in reports.items()]


@login_required
@require_POST
def release_batch(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    found = get_object_or_404(batches(person(request)), pk=pk)
    try:
        released = release(found, person(request))
    except NotQuarantined:
        messages.error(request, _("The batch does not wait in quarantine any more."))
    else:
        day = date_format(released.day)
        messages.success(request, _("The batch is released: it is counted with the reports of %(day)s.") % {"day": day})
    return redirect("batch", pk)
