"""Pages of the admin beside Django's own, about a use case, a version or a token."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
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


Shown = TypeVar("Shown", bound=Model)


def step_of(
    owned: Callable[[User], QuerySet[Shown]],
) -> Callable[[Callable[[HttpRequest, Shown], HttpResponse]], Callable[[HttpRequest, int], HttpResponse]]:
    """Give a view the object, or answer 404 unless the person may change it: it is among those that are `owned`.

    What the view or the definitions refuse is said on the object's page.
    """

    def decorate(view: Callable[[HttpRequest, Shown], HttpResponse]) -> Callable[[HttpRequest, int], HttpResponse]:
        @wraps(view)
        def wrapped(request: HttpRequest, pk: int) -> HttpResponse:
            shown = get_object_or_404(owned(cast(User, request.user)), pk=pk)
            try:
                return view(request, shown)
            except ValidationError as error:
                return refused(request, shown, error)

        return wrapped

    return decorate


def refused(request: HttpRequest, shown: Model, error: ValidationError) -> HttpResponse:
    """Say on the page of an object why something was not done."""
    for problem in error.messages:
        messages.error(request, problem)
    return page_of(shown)


def drafted(request: HttpRequest, draft: Any, source: Any, note: Callable[..., None]) -> HttpResponse:
    """Say that a version was made of another, in its history, too, and lead to it."""
    numbers = {"number": draft.number, "source": source.number}
    note(request, draft, _("Drafted from version %(source)d.") % numbers, added=True)
    messages.success(request, _("Version %(number)d is a draft, made from version %(source)d.") % numbers)
    return page_of(draft)


def _address(shown: Model) -> str:
    return reverse(f"admin:{shown._meta.app_label}_{shown._meta.model_name}_change", args=[shown.pk])
