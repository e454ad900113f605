"""Uploading a batch, seeing what became of it, and taking it out again."""

import uuid
from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from reports.access import batches, use_cases
from reports.collection import NotWithdrawable, waited_too_long, withdraw
from reports.collection.ingest import Problem, Receipt, UploadRefused, decisions, ingest, upload_slot
from reports.formatting import whole
from reports.models import Batch
from reports.models.use_cases import WAITING_DAYS
from reports.web.connections import sender_left
from reports.web.pages.people import person
from reports.web.pages.quarantine_page import decision, evidence_by_place, undetectable_in
from reports.web.pages.reasons import reason_of
from reports.web.pages.spool import SpoolUploadHandler
from reports.web.pages.upload_form import UploadForm, closed

TOLD_PROBLEMS = 5


# The check for forgery reads the body, and a handler can only be chosen before that: so it runs inside.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    if not use_cases(person(request), "upload").exists():
        raise Http404
    handler = SpoolUploadHandler(request)
    request.upload_handlers = [handler]
    if request.method != "POST":
        return _upload(request, handler)
    try:
        with upload_slot(person(request)):
            return _upload(request, handler)
    except UploadRefused as busy:
        # The body is not read, and so neither are the fields.
        form = UploadForm({})
        form.errors.clear()
        form.refuse(busy)
        return _refused(request, form)


@csrf_protect
def _upload(request: HttpRequest, handler: SpoolUploadHandler) -> HttpResponse:
    if request.method != "POST":
        return _page(request, UploadForm())
    form = UploadForm(request.POST, request.FILES)
    if handler.too_large:
        form.errors.pop("file", None)
        form.add_error("file", _("The file is larger than this server takes; split it."))
    elif handler.too_many:
        form.add_error("file", _("Send one file at a time."))
    elif form.is_valid():
        try:
            return _receive(request, form)
        except UploadRefused as refused:
            form.refuse(refused)
    return _refused(request, form)


def _refused(request: HttpRequest, form: UploadForm) -> HttpResponse:
    answer = _page(request, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    if form.retry_after is not None:
        answer.status_code = 503
        answer.headers["Retry-After"] = str(form.retry_after)
    return answer


def _page(request: HttpRequest, form: UploadForm, status: int = HTTPStatus.OK) -> HttpResponse:
    context = {"form": form, "closed": closed(use_cases(person(request), "upload").order_by("title"))}
    return render(request, "reports/upload.html", context, status=status)


def _receive(request: HttpRequest, form: UploadForm) -> HttpResponse:
    receipt = ingest(
        form.upload(sender_left(request)),
        use_cases(person(request), "upload"),
        day=form.cleaned_data["day"],
        strict=form.cleaned_data["strict"],
    )
    if not receipt.duplicate:
        _tell_stored(request, receipt)
    if words := receipt.in_words():
        messages.warning(request, words)
    # Only now: what is wrong with which record is not kept.
    for problem in receipt.problems[:TOLD_PROBLEMS]:
        messages.warning(request, _left_out(problem))
    return redirect("upload") if receipt.batch is None else redirect("batch", receipt.batch)


def _left_out(problem: Problem) -> str:
    if problem.pointer:
        words = _("Left out: line %(line)s, %(pointer)s: %(detail)s")
    else:
        words = _("Left out: line %(line)s: %(detail)s")
    return words % {"line": problem.line, "pointer": problem.pointer, "detail": problem.detail}


def _tell_stored(request: HttpRequest, receipt: Receipt) -> None:
    quarantined = Batch.objects.filter(pk=str(receipt.batch), state=Batch.State.QUARANTINED)
    if (batches(person(request)) & quarantined).exists():
        messages.warning(request, _("The reports are stored, and wait in quarantine: they look suspicious."))
    else:
        messages.success(request, _("The reports are stored."))


@require_safe
def batch(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    found = get_object_or_404(batches(person(request)), pk=pk)
    suspicious = evidence_by_place(found)
    context = {
        "batch": found,
        "open": found.state == Batch.State.OPEN,
        "quarantined": found.state == Batch.State.QUARANTINED,
        "too_late": waited_too_long(found),
        "evidence": suspicious,
        "undetectable": undetectable_in(found),
        "accepted": whole(found.accepted),
        "rejected": [(reason_of(reason), whole(count)) for reason, count in sorted(found.rejected.items())],
        "use_cases": use_cases(person(request), "view").filter(pk__in=found.use_case_ids),
        # For a batch that was in quarantine: the lists it stands in, or stood in.
        "lists": use_cases(person(request), "edit").filter(pk__in=found.use_case_ids) if suspicious else [],
        "decisions": decisions(found),
        "waiting_days": WAITING_DAYS,
    }
    return render(request, "reports/batch.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def withdraw_batch(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Ask first, then take out a batch of an open day, or one in quarantine."""
    found = get_object_or_404(batches(person(request)), pk=pk)
    if request.method != "POST" and found.state in {Batch.State.OPEN, Batch.State.QUARANTINED}:
        return render(request, "reports/batch_decision.html", decision(request, found, "withdraw"))
    try:
        if request.method != "POST":
            raise NotWithdrawable
        withdraw(found, person(request))
    except NotWithdrawable:
        messages.error(
            request,
            _(
                "The batch can no longer be withdrawn: it is withdrawn already, or what it held is merged with the"
                " rest of its day."
            ),
        )
    else:
        messages.success(request, _("The batch is withdrawn; its reports are deleted."))
    return redirect("batch", pk)
