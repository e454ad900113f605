"""API tokens: made by owners for their use cases, shown once, revoked. No secret is kept."""

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from reports import access
from reports.models import ApiToken, TrainingTask, UseCase
from reports.models.access import TOKEN_DAYS, in_a_year
from reports.models.uploads import utc_today
from reports.web.admin.admin_pages import admin_page
from reports.web.admin.read_only import ReadOnlyAdmin
from reports.web.change_history import note
from reports.web.tokens import reach, scope, tokens_of


class ApiTokenForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = ApiToken
        fields = ("name", "may_ingest", "may_read", "every_use_case", "use_cases", "training_tasks", "expires_on")
        labels = {
            "every_use_case": _("For every use case"),
            "use_cases": _("For these use cases"),
            "training_tasks": _("For these training tasks"),
        }
        help_texts = {
            "name": _(
                "What the token is for, such as the name of the collecting server. Make one for each program, so that"
                " each can be revoked by itself. A name is used only once, even after its token is revoked."
            ),
            "may_ingest": _("The program uploads reports, and asks what became of them."),
            "may_read": _("The program reads histograms, as a viewer does; each reading is recorded."),
            "every_use_case": _("Including those made later."),
            "use_cases": _("All others are answered as if they did not exist."),
            "training_tasks": _("The program reads their runs and figures; each reading is recorded."),
        }

    def clean_expires_on(self) -> Any:
        day = self.cleaned_data["expires_on"]
        if not utc_today() < day <= in_a_year():
            words = gettext("Choose a day from tomorrow to %(days)s days from now.") % {"days": TOKEN_DAYS}
            raise forms.ValidationError(words)
        return day

    def clean(self) -> dict[str, Any]:
        super().clean()  # so that names are unique
        values = self.cleaned_data
        if not values.get("may_ingest") and not values.get("may_read"):
            self.add_error(
                "may_ingest", gettext("Choose what the program may do: upload reports, read results, or both.")
            )
        if values.get("every_use_case") and values.get("use_cases"):
            self.add_error("use_cases", gettext("Choose every use case or some of them, not both."))
        elif not any(values.get(name) for name in ("every_use_case", "use_cases", "training_tasks")):
            if "use_cases" in values:
                self.add_error("use_cases", gettext("Choose at least one use case."))
        if values.get("training_tasks") and not values.get("may_read"):
            self.add_error("training_tasks", gettext("Training tasks are read: choose that, too."))
        return values


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    form = ApiTokenForm
    list_display = ("name", "state", "scope", "is_for", "expires_on", "last_used_on")
    list_filter = ("may_ingest", "may_read", "revoked")
    search_fields = ("name",)
    actions = ("revoke", "take_out")

    class Media:
        css = {"all": ("reports/admin.css",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        return tokens_of(cast(User, request.user))

    def get_actions(self, request: HttpRequest) -> Any:
        actions = super().get_actions(request)
        if access.may_define(request.user):  # superusers own every use case: they revoke
            actions.pop("take_out", None)
        return actions

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        tasks = access.training_tasks(cast(User, request.user), "edit")
        return super().has_view_permission(request, obj) or tasks.exists()

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_view_permission(request)

    def get_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> Any:
        if obj is not None:
            return ("name", "scope", "is_for", "created_on", "expires_on", "last_used_on", "state")
        every = ("every_use_case",) if access.may_define(cast(User, request.user)) else ()
        return ("name", "may_ingest", "may_read", *every, "use_cases", "training_tasks", "expires_on")

    def get_readonly_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> Any:
        return self.get_fields(request, obj) if obj is not None else ()

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        owned = {"use_cases": access.use_cases, "training_tasks": access.training_tasks}.get(db_field.name)
        if owned is None:
            return super().formfield_for_dbfield(db_field, request, **kwargs)
        # Owners give access to what is theirs alone; without a link to add one, which would leave the form.
        mine = owned(cast(User, request.user), "edit")
        return db_field.formfield(**kwargs | {"queryset": mine, "widget": forms.CheckboxSelectMultiple})

    def changeform_view(self, request: HttpRequest, *args: Any, **kw: Any) -> HttpResponse:
        try:
            return super().changeform_view(request, *args, **kw)
        except IntegrityError:
            # Another token of that name was saved after the form had been checked: now the form says so.
            return super().changeform_view(request, *args, **kw)

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        # The secret lives on this object until the response is written, and nowhere else.
        obj.secret = obj.draw_secret()  # type: ignore[attr-defined]
        super().save_model(request, obj, form, change)

    def response_add(self, request: HttpRequest, obj: ApiToken, post_url_continue: str | None = None) -> HttpResponse:
        """Show the secret, on this response alone: no address leads back to it."""
        secret = {"secret": obj.secret}  # type: ignore[attr-defined]
        response = admin_page(request, obj, gettext("The token is ready"), "made", secret)
        response.headers["Cache-Control"] = "no-store"
        return response

    @admin.display(description=_("scope"))
    def scope(self, token: ApiToken) -> str:
        return scope(token)

    @admin.display(description=_("use cases"))
    def is_for(self, token: ApiToken) -> str:
        return reach(token)

    @admin.display(description=_("state"))
    def state(self, token: ApiToken) -> str:
        if token.revoked:
            return gettext("revoked")
        return gettext("valid") if token.is_valid else gettext("expired")

    @admin.action(description=_("Revoke the selected tokens"))
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
        theirs = set(access.revocable_tokens(request.user).values_list("pk", flat=True))
        revoked = refused = 0
        for token in tokens.filter(revoked=False):
            if token.pk not in theirs:
                refused += 1
                words = gettext(
                    "“%(token)s” was not revoked: it is also for use cases of others. Take yours out of it instead."
                )
                if token.every_use_case:
                    words = gettext(
                        "“%(token)s” was not revoked: it is for every use case, so only superusers may revoke it."
                    )
                messages.error(request, words % {"token": token})
                continue
            with transaction.atomic():
                token.revoked = True
                token.save(update_fields=["revoked"])
                note(request, token, gettext("Revoked."))
            revoked += 1
        if revoked:
            messages.success(request, ngettext("%d token is revoked.", "%d tokens are revoked.", revoked) % revoked)
        elif not refused:
            messages.info(request, gettext("Nothing to revoke: the selected tokens are revoked already."))

    @admin.action(description=_("Take my use cases out of the selected tokens"))
    def take_out(self, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
        mine = access.use_cases(request.user, "edit").values("pk")
        my_tasks = access.training_tasks(request.user, "edit").values("pk")
        # a token for one's own reading is of no other person
        for token in tokens.exclude(person__isnull=False, may_read=True):
            if token.every_use_case:
                words = gettext(
                    "Nothing was taken out of “%(token)s”: it is for every use case, so only superusers may revoke it."
                )
                messages.error(request, words % {"token": token})
                continue
            with transaction.atomic():
                use_cases = list(token.use_cases.filter(pk__in=mine))
                tasks = list(token.training_tasks.filter(pk__in=my_tasks))
                token.use_cases.remove(*use_cases)
                token.training_tasks.remove(*tasks)
                taken: list[UseCase | TrainingTask] = [*use_cases, *tasks]
                # In its own history without names: owners of its other use cases read it too.
                note(request, token, gettext("Use cases taken out."))
                for each in taken:
                    note(request, each, gettext("Taken out of the API token “%(token)s”.") % {"token": token})
            values = {"token": token, "titles": ", ".join(each.title for each in taken)}
            messages.success(request, gettext("“%(token)s” is no longer for %(titles)s.") % values)
