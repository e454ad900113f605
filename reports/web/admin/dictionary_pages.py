"""The dictionary of a version: pasted, uploaded or taken from accepted words, looked at, and only then a revision."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import RequestDataTooBig
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from reports.definitions import Proposal, digest, locked, no_dictionary, read_proposal, revise_dictionary
from reports.kinds import kind_of
from reports.models import DictionaryDraft, DictionaryRevision, Version
from reports.web.admin.dictionary_form import MAX_FORM_BYTES, DictionaryForm, draft_as_text, present_as_text
from reports.web.admin.dictionary_revisions import entries_address
from reports.web.admin.history import note_on_version
from reports.web.admin.life import context, owned_version, refusals_as_messages, version_page
from reports.web.admin.version_comparison import compare


# The check for forgery reads the body, and a paste that is too large shall be answered in words: so it runs inside.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def dictionary(request: HttpRequest, pk: int) -> HttpResponse:
    version = owned_version(request, pk)
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_FORM_BYTES:
        return _too_large(request, version, "file", _("The file is larger than 16 MiB; shorten it."))
    try:
        request.POST  # noqa: B018
    except RequestDataTooBig:
        words = _("This is too much to paste. Save it as a file, and upload that.")
        return _too_large(request, version, "text", words)
    return _dictionary(request, version)


def _too_large(request: HttpRequest, version: Version, field: str, words: str) -> HttpResponse:
    if not kind_of(version).has_dictionary:
        return _has_none(request, version)
    form = DictionaryForm(_person(request), present_as_text(version))
    form.add_error(field, words)
    return _form_page(request, version, form, status=413)


@csrf_protect
def _dictionary(request: HttpRequest, version: Version) -> HttpResponse:
    if not kind_of(version).has_dictionary:
        return _has_none(request, version)
    if request.method != "POST":
        draft = _drafts(request, version).first()
        mine = draft_as_text(draft) if draft is not None else {}
        form = DictionaryForm(_person(request), initial=mine or present_as_text(version))
        return _form_page(request, version, form, continued=bool(mine))
    if version.state == Version.State.CLOSED:
        return _refuse_closed(request, version)
    form = DictionaryForm(_person(request), request.POST, request.FILES)
    if not form.is_valid():
        return _form_page(request, version, form, status=422)
    values = {"form": form.cleaned_data["form"], "text": form.cleaned_data["text"]}
    DictionaryDraft.objects.update_or_create(version=version, person=_person(request), defaults=values)
    return redirect("admin:reports_version_preview", version.pk)


def _form_page(
    request: HttpRequest, version: Version, form: DictionaryForm, status: int = 200, *, continued: bool = False
) -> HttpResponse:
    revision = version.current_dictionary()
    more = {
        "form": form,
        "revision": revision,
        "entries_address": entries_address(revision) if revision is not None else "",
        "closed": version.state == Version.State.CLOSED,
        "waiting": _drafts(request, version).exists(),
        "continued": continued,
    }
    words = context(request, version, _("Dictionary"))
    return render(request, "admin/reports/version/dictionary.html", words | more, status=status)


def _person(request: HttpRequest) -> User:
    return cast(User, request.user)


def _drafts(request: HttpRequest, version: Version) -> QuerySet[DictionaryDraft]:
    return DictionaryDraft.objects.filter(version=version, person=_person(request))


def _has_none(request: HttpRequest, version: Version) -> HttpResponse:
    messages.info(request, no_dictionary(version))
    return version_page(version)


def _refuse_closed(request: HttpRequest, version: Version) -> HttpResponse:
    messages.error(request, _("The version is closed, and its dictionary stays as it is."))
    return version_page(version)


@require_http_methods(["GET", "HEAD", "POST"])
@refusals_as_messages
def preview(request: HttpRequest, pk: int) -> HttpResponse:
    version = owned_version(request, pk)
    if not kind_of(version).has_dictionary:
        return _has_none(request, version)
    drafts = _drafts(request, version)
    if request.method == "POST":
        with transaction.atomic():
            # As everyone who changes versions or dictionaries does: what was confirmed is compared with what is there.
            _use_case, version = locked(version)
            return _confirmed(request, version, drafts.select_for_update().first())
    draft = drafts.first()
    if draft is None:
        return _nothing_waits(request, version)
    if version.state == Version.State.CLOSED:
        return _refuse_closed(request, version)
    return _preview_page(request, version, draft)


def _nothing_waits(request: HttpRequest, version: Version) -> HttpResponse:
    messages.info(request, _("There is no dictionary waiting to be saved."))
    return redirect("admin:reports_version_dictionary", version.pk)


def _preview_page(request: HttpRequest, version: Version, draft: DictionaryDraft) -> HttpResponse:
    words = context(request, version, _("Preview"))
    proposal = read_proposal(draft.text, draft.form, version)
    revision = version.current_dictionary()
    more: dict[str, Any] = {
        "proposal": proposal,
        "comparison": compare(proposal.entries, revision),
        "revision": revision,
        "next_number": _next_number(revision),
        "token": _token(proposal, revision),
    }
    return render(request, "admin/reports/version/preview.html", words | more)


def _confirmed(request: HttpRequest, version: Version, draft: DictionaryDraft | None) -> HttpResponse:
    """Save or discard what waits; the use case is locked."""
    if draft is None:
        return _nothing_waits(request, version)
    if "discard" in request.POST:
        draft.delete()
        messages.success(request, _("What you pasted or uploaded is discarded. The dictionary is as it was."))
        return redirect("admin:reports_version_dictionary", version.pk)
    if version.state == Version.State.CLOSED:
        return _refuse_closed(request, version)
    proposal = read_proposal(draft.text, draft.form, version)
    revision = version.current_dictionary()
    if request.POST.get("token") != _token(proposal, revision) or not proposal.entries:
        messages.error(request, _("Something was changed since you saw the preview. Look at it again."))
        return redirect("admin:reports_version_preview", version.pk)
    return _save(request, version, draft, proposal)


def _save(request: HttpRequest, version: Version, draft: DictionaryDraft, proposal: Proposal) -> HttpResponse:
    counts = compare(proposal.entries, version.current_dictionary())
    saved = revise_dictionary(version, proposal.entries)
    draft.delete()
    if saved is None:
        messages.info(request, _("Nothing was saved: the dictionary is the same already."))
        return version_page(version)
    words = {"number": saved.number, "size": f"{saved.size:,}", "new": f"{counts.new:,}", "gone": f"{counts.gone:,}"}
    said = _("Dictionary revision %(number)d: %(size)s elements, %(new)s new and %(gone)s gone.") % words
    note_on_version(request, version, said)
    messages.success(request, said)
    return version_page(version)


def _next_number(revision: DictionaryRevision | None) -> int:
    return revision.number + 1 if revision is not None else 1


def _token(proposal: Proposal, revision: DictionaryRevision | None) -> str:
    """Identify what a preview showed: these entries, as normalised under the version's rules, after this revision."""
    return f"{_next_number(revision)}:{digest(proposal.entries)}"
