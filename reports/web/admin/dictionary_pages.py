"""The dictionary of a version: pasted, uploaded or taken from accepted words, looked at, and only then a revision."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import RequestDataTooBig, ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from reports.definitions import (
    Proposal,
    check_dictionary,
    digest,
    locked,
    no_dictionary,
    read_proposal,
    revise_dictionary,
)
from reports.kinds import kind_of
from reports.models import DictionaryDraft, DictionaryRevision, Version
from reports.web.admin.admin_pages import admin_page, page_of
from reports.web.admin.dictionary_admin import entries_address
from reports.web.admin.dictionary_comparison import compare
from reports.web.admin.version_steps import of_owned_version
from reports.web.change_history import note_on_version
from reports.web.definition_forms.dictionary_form import (
    FILE_TOO_LARGE,
    MAX_FORM_BYTES,
    DictionaryForm,
    draft_as_text,
    present_as_text,
)


# The check for forgery reads the body, and a paste that is too large shall be answered in words: so it runs inside.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@of_owned_version
def dictionary(request: HttpRequest, version: Version) -> HttpResponse:
    _check_kind(version)
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_FORM_BYTES:
        return _too_large(request, version, "file", FILE_TOO_LARGE)
    try:
        request.POST  # noqa: B018
    except RequestDataTooBig:
        words = _("The text is too long to paste. Save it as a file, and upload that.")
        return _too_large(request, version, "text", words)
    return _dictionary(request, version)


def _check_kind(version: Version) -> None:
    if not kind_of(version).has_dictionary:
        raise ValidationError(no_dictionary(version))


def _check_open(version: Version) -> None:
    if version.state == Version.State.CLOSED:
        raise ValidationError(_("The version is closed, so its dictionary cannot be changed."))


def _too_large(request: HttpRequest, version: Version, field: str, words: str | Promise) -> HttpResponse:
    form = DictionaryForm(_person(request), present_as_text(version))
    form.add_error(field, str(words))
    return _form_page(request, version, form, status=413)


@csrf_protect
def _dictionary(request: HttpRequest, version: Version) -> HttpResponse:
    if request.method != "POST":
        draft = _drafts(request, version).first()
        mine = draft_as_text(draft) if draft is not None else {}
        form = DictionaryForm(_person(request), initial=mine or present_as_text(version))
        return _form_page(request, version, form, continued=bool(mine))
    _check_open(version)
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
        "is_public": bool(version.dictionary_parameters),
        "frozen": bool(version.dictionary_parameters) and version.state != Version.State.DRAFT,
        "waiting": _drafts(request, version).exists(),
        "continued": continued,
    }
    return admin_page(request, version, _("Dictionary"), "dictionary", more, status)


def _person(request: HttpRequest) -> User:
    return cast(User, request.user)


def _drafts(request: HttpRequest, version: Version) -> QuerySet[DictionaryDraft]:
    return DictionaryDraft.objects.filter(version=version, person=_person(request))


@require_http_methods(["GET", "HEAD", "POST"])
@of_owned_version
@transaction.atomic
def preview(request: HttpRequest, version: Version) -> HttpResponse:
    """Show what would be saved; then save it or discard it."""
    _check_kind(version)
    drafts = _drafts(request, version)
    if confirmed := request.method == "POST":
        # As everyone who changes versions or dictionaries does: what was confirmed is compared with what is there.
        _use_case, version = locked(version)
        drafts = drafts.select_for_update()
    draft = drafts.first()
    if draft is None:
        messages.info(request, _("No dictionary is waiting to be saved."))
        return redirect("admin:reports_version_dictionary", version.pk)
    if "discard" in request.POST:
        draft.delete()
        messages.success(request, _("What you pasted or uploaded is discarded. The dictionary has not changed."))
        return redirect("admin:reports_version_dictionary", version.pk)
    _check_open(version)
    proposal = read_proposal(draft.text, draft.form, version)
    revision = version.current_dictionary()
    token, problems = _token(proposal, revision), _problems(version, proposal)
    if not confirmed:
        more = {
            "proposal": proposal,
            "problems": problems,
            "comparison": compare(proposal.entries, revision),
            "next_number": _next_number(revision),
            "token": token,
        }
        return admin_page(request, version, _("Preview"), "preview", more)
    if problems:
        return redirect("admin:reports_version_preview", version.pk)  # which says them
    if request.POST.get("token") != token or not proposal.entries:
        messages.error(
            request, _("Nothing was saved: something has changed since you saw the preview. Look at it again.")
        )
        return redirect("admin:reports_version_preview", version.pk)
    return _save(request, version, draft, proposal)


def _problems(version: Version, proposal: Proposal) -> list[str]:
    """Return why the version cannot have this dictionary, if devices are given it."""
    if version.dictionary_parameters and proposal.entries:
        try:
            check_dictionary(version, [entry.element for entry in proposal.entries])
        except ValidationError as error:
            return error.messages
    return []


def _save(request: HttpRequest, version: Version, draft: DictionaryDraft, proposal: Proposal) -> HttpResponse:
    counts = compare(proposal.entries, version.current_dictionary())
    saved = revise_dictionary(version, proposal.entries)
    draft.delete()
    if saved is None:
        messages.info(request, _("Nothing was saved: the dictionary is already the same."))
        return page_of(version)
    words = {"number": saved.number, "size": f"{saved.size:,}", "new": f"{counts.new:,}", "gone": f"{counts.gone:,}"}
    said = _("Dictionary revision %(number)d: %(size)s elements, %(new)s new and %(gone)s gone.") % words
    note_on_version(request, version, said)
    messages.success(request, said)
    return page_of(version)


def _next_number(revision: DictionaryRevision | None) -> int:
    return revision.number + 1 if revision is not None else 1


def _token(proposal: Proposal, revision: DictionaryRevision | None) -> str:
    """Identify what a preview showed: these entries, as normalised under the version's rules, after this revision."""
    return f"{_next_number(revision)}:{digest(proposal.entries)}"
