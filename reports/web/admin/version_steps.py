"""Steps of a version's life: drafted from another, activated, discarded. Each that is final is confirmed first."""

import datetime
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from reports import access
from reports.definitions import activate, check_ready, discard_draft, draft_from
from reports.models import Version
from reports.models.uploads import utc_today
from reports.web.admin.admin_pages import admin_page, drafted, page_of, step_of
from reports.web.admin.version_panel import version_in_words
from reports.web.change_history import note_on_use_case, note_on_version


@step_of
def of_owned_version(person: User) -> QuerySet[Version]:
    versions = Version.objects.select_related("use_case__budget_group")
    return versions.filter(use_case__in=access.use_cases(person, "edit"))


@require_POST
@of_owned_version
def new_version_from(request: HttpRequest, source: Version) -> HttpResponse:
    return drafted(request, draft_from(source), source, note_on_version)


@require_http_methods(["GET", "HEAD", "POST"])
@of_owned_version
def confirm_activation(request: HttpRequest, version: Version) -> HttpResponse:
    confirmed = _number(request.POST.get("instead_of", ""))
    if confirmed is None and version.state == Version.State.DRAFT:
        check_ready(version)
        more = {
            **version_in_words(version, cast(User, request.user)),
            "before": version.use_case.active_version(),
            "until": utc_today() + datetime.timedelta(days=version.use_case.grace_days),
        }
        return admin_page(request, version, _("Activate"), "activate", more)
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
    return page_of(activated)


def _number(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


@require_http_methods(["GET", "HEAD", "POST"])
@of_owned_version
def confirm_discarding(request: HttpRequest, version: Version) -> HttpResponse:
    if request.method != "POST" and version.state == Version.State.DRAFT:
        more = {"dictionary": version.current_dictionary()}
        return admin_page(request, version, _("Discard"), "discard", more)
    discard_draft(version)
    note_on_use_case(request, version, _("The draft was discarded."))
    messages.success(request, _("The draft is gone."))
    return redirect("admin:reports_usecase_change", version.use_case_id)
