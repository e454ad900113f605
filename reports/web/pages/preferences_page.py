"""Settings of a person: language, colours, numbers, and what opens after a login."""

from http import HTTPStatus
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from reports import access
from reports.accounts.preferences import preferences_of
from reports.models import Preferences
from reports.web.pages.bookmarks.query_strings import READERS, address
from reports.web.pages.people import person

_USE_CASE: Final = "use-case-"
_VIEW: Final = "view-"


class PreferencesForm(forms.ModelForm):  # type: ignore[type-arg]
    language = forms.ChoiceField(label=gettext_lazy("Language"), required=False)
    opens = forms.ChoiceField(label=gettext_lazy("After the login open"), required=False)

    class Meta:
        model = Preferences
        fields = ["language", "theme", "numbers", "opens"]

    def __init__(self, owner: User, data: QueryDict | None) -> None:
        super().__init__(data, instance=preferences_of(owner) or Preferences(user=owner))
        self.fields["language"].choices = [("", _("as the browser asks")), *settings.LANGUAGES]  # type: ignore[attr-defined]
        self.fields["numbers"].choices = [  # type: ignore[attr-defined]
            ("", _("as the language writes them")),
            *Preferences.Numbers.choices,
        ]
        self.fields["opens"].choices = _boards(owner)  # type: ignore[attr-defined]
        chosen = self.instance
        if chosen.opens_view_id is not None:
            self.initial["opens"] = f"{_VIEW}{chosen.opens_view_id}"
        elif chosen.opens_use_case_id is not None:
            self.initial["opens"] = f"{_USE_CASE}{chosen.opens_use_case_id}"

    def save(self, commit: bool = True) -> Preferences:
        opens = self.cleaned_data["opens"]
        self.instance.opens_view_id = int(opens.removeprefix(_VIEW)) if opens.startswith(_VIEW) else None
        self.instance.opens_use_case_id = int(opens.removeprefix(_USE_CASE)) if opens.startswith(_USE_CASE) else None
        saved: Preferences = super().save(commit)
        return saved


def _boards(owner: User) -> list[Any]:
    """Return what may open first, in groups: only what the person may see."""
    cases = access.use_cases(owner, "view").order_by("title").values_list("pk", "title")
    views = access.saved_views(owner).filter(page__in=READERS).values_list("pk", "name")
    return [
        ("", _("the front page")),
        (_("Use cases"), [(f"{_USE_CASE}{pk}", title) for pk, title in cases]),
        (_("Saved views"), [(f"{_VIEW}{pk}", name) for pk, name in views]),
    ]


def opening_address(owner: User) -> str:
    """Return the page that a person wants after a login; the front page once it is gone, or not theirs to see."""
    chosen = preferences_of(owner)
    if chosen is not None and chosen.opens_view_id is not None:
        views = access.saved_views(owner).filter(pk=chosen.opens_view_id, page__in=READERS)
        if view := views.select_related("use_case").first():
            return address(view.use_case, view.page, view.query)
    if chosen is not None and chosen.opens_use_case_id is not None:
        slugs = access.use_cases(owner, "view").filter(pk=chosen.opens_use_case_id).values_list("slug", flat=True)
        if slug := slugs.first():
            return reverse("use_case", args=[slug])
    return reverse("home")


def forget_browser_language(response: HttpResponse, owner: User) -> None:
    """Let the language of a person's settings go before one that was once chosen in this browser."""
    chosen = preferences_of(owner)
    if chosen is not None and chosen.language:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME, samesite="Lax")


@require_http_methods(["GET", "HEAD", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    owner = person(request)
    form = PreferencesForm(owner, request.POST or None)
    if request.method == "POST" and form.is_valid():
        owner.preferences = form.save()
        messages.success(request, _("Your settings are saved."))
        response = redirect("preferences")
        forget_browser_language(response, owner)
        return response
    return render(request, "reports/preferences.html", {"form": form}, status=422 if form.errors else 200)


@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Keep what the button in the header was set to."""
    theme = request.POST.get("theme")
    if theme not in Preferences.Theme.values:
        return HttpResponse(status=HTTPStatus.UNPROCESSABLE_ENTITY)
    Preferences.objects.update_or_create(user=person(request), defaults={"theme": theme})
    return HttpResponse(status=HTTPStatus.NO_CONTENT)
