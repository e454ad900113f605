"""API tokens: made for use cases that somebody owns, shown once, taken back. No secret is kept."""

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from reports import access
from reports.admin.history import note
from reports.admin.read_only import ReadOnlyAdmin
from reports.models import ApiToken
from reports.models.access import TOKEN_DAYS, in_a_year
from reports.models.uploads import utc_today


class ApiTokenForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = ApiToken
        fields = ("name", "may_ingest", "may_read", "every_use_case", "use_cases", "expires_on")
        labels = {"every_use_case": _("For every use case"), "use_cases": _("Or only for these")}
        help_texts = {
            "name": _(
                "What it is for, such as the collecting server’s name. Make one for each program, so that each can be"
                " taken back by itself. Names stay taken."
            ),
            "may_ingest": _("The program sends reports, and asks what became of them."),
            "may_read": _("The program reads histograms, as a viewer does; each time is noted."),
            "every_use_case": _("Also those that are made later."),
            "use_cases": _("Of others it is told that they do not exist."),
        }

    def clean_expires_on(self) -> Any:
        day = self.cleaned_data["expires_on"]
        if not utc_today() < day <= in_a_year():
            words = gettext("Choose a day from tomorrow on, and at most %(days)s days ahead.") % {"days": TOKEN_DAYS}
            raise forms.ValidationError(words)
        return day

    def clean(self) -> dict[str, Any]:
        super().clean()  # so that names are unique
        values = self.cleaned_data
        if not values.get("may_ingest") and not values.get("may_read"):
            self.add_error("may_ingest", gettext("Choose what it may do: upload reports, read results, or both."))
        if values.get("every_use_case") and values.get("use_cases"):
            self.add_error("use_cases", gettext("Choose either every use case, or some: not both."))
        elif not values.get("every_use_case") and "use_cases" in values and not values["use_cases"]:
            self.add_error("use_cases", gettext("Choose the use cases that it is for."))
        return values


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    form = ApiTokenForm
    list_display = ("name", "scope", "is_for", "expires_on", "last_used_on", "state")
    list_filter = ("may_ingest", "may_read", "revoked")
    search_fields = ("name",)
    actions = ("revoke",)

    class Media:
        css = {"all": ("reports/admin.css",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        return access.api_tokens(request.user).prefetch_related("use_cases")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_view_permission(request)

    def get_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> Any:
        if obj is not None:
            return ("name", "scope", "is_for", "created_on", "expires_on", "last_used_on", "state")
        every = ("every_use_case",) if access.may_define(cast(User, request.user)) else ()
        return ("name", "may_ingest", "may_read", *every, "use_cases", "expires_on")

    def get_readonly_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> Any:
        return self.get_fields(request, obj) if obj is not None else ()

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        # Nobody lets others into what is not their own.
        mine = access.use_cases(cast(User, request.user), "edit")
        kwargs |= {"queryset": mine, "widget": forms.CheckboxSelectMultiple}
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def get_form(self, request: HttpRequest, obj: ApiToken | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        if "use_cases" in form.base_fields:  # a link to add a use case would leave the form
            cast(Any, form.base_fields["use_cases"].widget).can_add_related = False
        return form

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        buttons = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().changeform_view(request, object_id, form_url, buttons | (extra_context or {}))

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        # It lives on this object until the answer is written, and nowhere else.
        obj.secret = obj.draw_secret()  # type: ignore[attr-defined]
        super().save_model(request, obj, form, change)

    def response_add(self, request: HttpRequest, obj: ApiToken, post_url_continue: str | None = None) -> HttpResponse:
        """The one page that shows the secret. It is an answer, not an address, so that nobody can go back to it."""
        context = {
            **admin.site.each_context(request),
            "title": gettext("The token is made"),
            "subtitle": str(obj),
            "token": obj,
            "secret": obj.secret,  # type: ignore[attr-defined]
            "opts": self.opts,
        }
        response = render(request, "admin/reports/apitoken/made.html", context)
        response.headers["Cache-Control"] = "no-store"
        return response

    @admin.display(description=_("scope"))
    def scope(self, token: ApiToken) -> str:
        words = [gettext("upload")] * token.may_ingest + [gettext("read")] * token.may_read
        return ", ".join(words) or gettext("nothing")

    @admin.display(description=_("use cases"))
    def is_for(self, token: ApiToken) -> str:
        if token.every_use_case:
            return gettext("every use case")
        return ", ".join(use_case.title for use_case in token.use_cases.all()) or gettext("none any more")

    @admin.display(description=_("state"))
    def state(self, token: ApiToken) -> str:
        if token.revoked:
            return gettext("revoked")
        return gettext("valid") if token.is_valid else gettext("expired")

    @admin.action(description=_("Revoke the selected tokens"))
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
        revoked = 0
        for token in tokens.filter(revoked=False):
            token.revoked = True
            token.save(update_fields=["revoked"])
            note(request, token, gettext("Revoked."))
            revoked += 1
        if revoked:
            messages.success(request, ngettext("%d token is revoked.", "%d tokens are revoked.", revoked) % revoked)
        else:
            messages.info(request, gettext("Nothing to revoke: these were revoked already."))
