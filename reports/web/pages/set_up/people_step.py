"""The fourth step: where it is asked, who owns and sees it, and the limits that protect people."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from reports.access import may_define, owner_groups
from reports.definitions import change_draft, settings_of
from reports.models import UseCase
from reports.web.definition_forms.written_fields import locales_field
from reports.web.pages.people import person
from reports.web.pages.set_up.drafts import Draft, of_own_draft, step_page


class PeopleForm(forms.ModelForm):  # type: ignore[type-arg]
    locales = locales_field()

    field_order = ("locales",)

    class Meta:
        model = UseCase
        fields = ("owner_group", "viewer_groups", "daily_limit", "minimum_reports", "retention_days")
        labels = {
            "owner_group": _("Team that owns it"),
            "viewer_groups": _("Teams that see the results"),
            "daily_limit": _("Reports of a device, a day at most"),
            "minimum_reports": _("Show nothing about fewer reports than"),
            "retention_days": _("Delete the raw reports after so many days"),
        }
        help_texts = {
            "daily_limit": _("Each further report costs people privacy: ε of a day is so many times ε."),
            "minimum_reports": _("A larger number hides each person better among others; results come later."),
            "retention_days": _("Results stay."),
        }
        widgets = {"viewer_groups": forms.CheckboxSelectMultiple}

    def __init__(self, owner: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["owner_group"]
        field.queryset = owner_groups(owner)  # type: ignore[attr-defined]
        # Or else they would have locked the door from outside.
        field.required = not may_define(owner)


@of_own_draft
def people(request: HttpRequest, draft: Draft) -> HttpResponse:
    initial = {"locales": draft.version.locales}
    form = PeopleForm(person(request), request.POST or None, instance=draft.use_case, initial=initial)
    if request.method == "POST" and form.is_valid():
        settings = settings_of(draft.version)
        try:
            with transaction.atomic():
                form.save()
                change_draft(draft.version, **{**settings, "locales": form.cleaned_data["locales"]})
        except ValidationError as error:
            form.add_error("locales", error.messages)
        else:
            return redirect("set_up_review", draft.use_case.slug)
    return step_page(request, "people", draft, {"form": form}, 422 if form.errors else 200)
