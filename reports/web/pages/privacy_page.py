"""The privacy pages, of the site and of a use case, and the same as JSON. What is published everybody may read."""

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reports.access import use_cases
from reports.models import UseCase
from reports.privacy import site_document, use_case_document
from reports.web.pages.exports import json_file
from reports.web.pages.people import published, reader
from reports.web.pages.privacy_budgets import Budgets
from reports.web.pages.privacy_words import Words


@login_not_required
@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    document = site_document(reader(request))
    words = Budgets(document)
    table = words.use_cases(is_stranger=not request.user.is_authenticated)
    return render(request, "reports/privacy.html", {"document": document, "words": words, "use_cases": table})


@login_not_required
@require_safe
def privacy_file(request: HttpRequest) -> HttpResponse:
    return json_file(site_document(reader(request)), "privacy")


@login_not_required
@require_safe
def use_case_privacy(request: HttpRequest, slug: str) -> HttpResponse:
    found = _readable(request, slug)
    if found is None:
        return redirect_to_login(request.get_full_path())
    document = use_case_document(reader(request), found)
    context = {
        "use_case": found,
        "document": document,
        "words": Words(document),
        "sees_results": use_cases(reader(request), "view").filter(pk=found.pk).exists(),
        "owner": use_cases(reader(request), "edit").filter(pk=found.pk).exists(),
        "pk": found.pk,
    }
    return render(request, "reports/privacy_use_case.html", context)


@login_not_required
@require_safe
def use_case_privacy_file(request: HttpRequest, slug: str) -> HttpResponse:
    found = _readable(request, slug)
    if found is None:
        return redirect_to_login(request.get_full_path())
    return json_file(use_case_document(reader(request), found), f"privacy-{slug}")


def _readable(request: HttpRequest, slug: str) -> UseCase | None:
    return published(request, use_cases(reader(request), "privacy").select_related("budget_group"), slug)
