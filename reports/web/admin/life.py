"""Life of a version: drafted from another, activated, discarded. Each step is confirmed first."""

import datetime
from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from reports import access
from reports.definitions import activate, discard_draft, draft_from
from reports.kinds import kind_of
from reports.models import Version
from reports.models.uploads import utc_today
from reports.web.admin.history import note_on_use_case, note_on_version
from reports.web.admin.panel import impact_context, rules_in_words

View = Callable[[HttpRequest, int], HttpResponse]


def version_page(version: Version) -> HttpResponse:
    return redirect("admin:reports_version_change", version.pk)


def owned_version(request: HttpRequest, pk: int) -> Version:
    """Return the version, or 404 unless the person may change its use case."""
    owned = access.use_cases(cast(User, request.user), "edit")
    return get_object_or_404(Version.objects.select_related("use_case__budget_group"), pk=pk, use_case__in=owned)


def context(request: HttpRequest, version: Version, title: str) -> dict[str, Any]:
    """Return the context that all pages about a version share."""
    return {
        **admin.site.each_context(request),
        "title": title,
        "subtitle": str(version),
        "version": version,
        "opts": Version._meta,
        "use_case_opts": version.use_case._meta,
    }


def refusals_as_messages(view: View) -> View:
    """Turn a `ValidationError` of the definitions into messages on the version's page."""

    @wraps(view)
    def wrapped(request: HttpRequest, pk: int) -> HttpResponse:
        try:
            return view(request, pk)
        except ValidationError as error:
            for problem in error.messages:
                messages.error(request, problem)
            return redirect("admin:reports_version_change", pk)

    return wrapped


@require_POST
@refusals_as_messages
def new_version_from(request: HttpRequest, pk: int) -> HttpResponse:
    source = owned_version(request, pk)
    draft = draft_from(source)
    note_on_version(request, draft, _("Drafted from version %(number)d.") % {"number": source.number}, added=True)
    words = _("Version %(number)d is a draft with the settings and the dictionary of version %(source)d.")
    if not kind_of(draft).has_dictionary:
        words = _("Version %(number)d is a draft with the settings of version %(source)d.")
    messages.success(request, words % {"number": draft.number, "source": source.number})
    return version_page(draft)


@require_http_methods(["GET", "HEAD", "POST"])
@refusals_as_messages
def confirm_activation(request: HttpRequest, pk: int) -> HttpResponse:
    version = owned_version(request, pk)
    confirmed = _number(request.POST.get("instead_of", ""))
    if confirmed is None and version.state == Version.State.DRAFT:
        before = version.use_case.active_version()
        until = utc_today() + datetime.timedelta(days=version.use_case.grace_days)
        words = context(request, version, _("Activate version %(number)d") % {"number": version.number})
        more = {
            "before": before,
            "until": until,
            "dictionary": version.current_dictionary(),
            "rules": rules_in_words(version),
            **impact_context(version, cast(User, request.user)),
        }
        return render(request, "admin/reports/version/activate.html", words | more)
    activated = activate(version, instead_of=confirmed)
    note_on_version(request, activated, _("Activated."))
    superseded = activated.use_case.versions.filter(number=confirmed or 0).first()
    if superseded is not None and superseded.accepts_until is not None:
        words_until = _("Superseded by version %(number)d; accepts reports until %(until)s.")
        day = date_format(superseded.accepts_until)
        note_on_version(request, superseded, words_until % {"number": activated.number, "until": day})
    page = reverse("use_case", args=[activated.use_case.slug])
    words_active = _("Version %(number)d is active. Results will be on the page of the use case:")
    link = format_html('{} <a href="{}">{}</a>', words_active % {"number": activated.number}, page, activated.use_case)
    messages.success(request, link)
    return version_page(activated)


def _number(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


@require_http_methods(["GET", "HEAD", "POST"])
@refusals_as_messages
def confirm_discarding(request: HttpRequest, pk: int) -> HttpResponse:
    version = owned_version(request, pk)
    if request.method != "POST" and version.state == Version.State.DRAFT:
        words = context(request, version, _("Discard version %(number)d") % {"number": version.number})
        return render(
            request, "admin/reports/version/discard.html", words | {"dictionary": version.current_dictionary()}
        )
    discard_draft(version)
    note_on_use_case(request, version, _("The draft was discarded."))
    messages.success(request, _("The draft is gone."))
    return redirect("admin:reports_usecase_change", version.use_case_id)
