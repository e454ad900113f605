"""Pages of the admin beside Django's own, about a use case, a version or a token."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext as _

from reports.models import Version

_SHOWN_WORDS = 18


def admin_page(
    request: HttpRequest, shown: Model, title: str, template: str, more: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    """Render a page about an object, which the template calls `shown`."""
    context = {
        **admin.site.each_context(request),
        "title": title,
        "subtitle": str(shown),
        "opts": shown._meta,
        "shown": shown,
        "trail": trail(shown),
        "back": _address(shown),
    }
    return render(request, f"admin/reports/{shown._meta.model_name}/{template}.html", context | {**more}, status=status)


def trail(shown: Model) -> list[tuple[str, str]]:
    """List the pages above a page about an object, each with its address."""
    if isinstance(shown, Version):
        name, above = _("Version %(number)d") % {"number": shown.number}, trail(shown.use_case)
    else:
        name = Truncator(str(shown)).words(_SHOWN_WORDS)
        address = reverse(f"admin:{shown._meta.app_label}_{shown._meta.model_name}_changelist")
        above = [(capfirst(str(shown._meta.verbose_name_plural)), address)]
    return [*above, (name, _address(shown))]


def page_of(shown: Model) -> HttpResponse:
    """Lead back to the page of an object."""
    return redirect(_address(shown))


def _address(shown: Model) -> str:
    return reverse(f"admin:{shown._meta.app_label}_{shown._meta.model_name}_change", args=[shown.pk])
