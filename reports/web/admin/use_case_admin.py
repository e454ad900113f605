"""Use cases: made by superusers, changed by their owners."""

from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from reports import access
from reports.kinds import kind_of
from reports.models import UseCase, Version
from reports.prescribed import show_anew
from reports.publication import lock_publications_of
from reports.runs import NothingToAggregate, start_run
from reports.web.admin import use_case_steps
from reports.web.admin.editable import OwnedAdmin
from reports.web.admin.planned_values import planned_limits, planned_parameters, steps_of_plan
from reports.web.admin.use_case_form import UseCaseForm


@admin.register(UseCase)
class UseCaseAdmin(OwnedAdmin):
    form = UseCaseForm
    list_display = ("title", "slug", "state_now", "minimum_reports", "retention_days", "owner_group", "page")
    list_filter = ("state",)
    list_select_related = ("owner_group",)
    search_fields = ("title", "slug", "description")
    filter_horizontal = ("viewer_groups",)
    actions = ("aggregate",)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own = [
            path("<int:pk>/state/<str:state>/", view(use_case_steps.confirm_state), name="reports_usecase_state"),
            path(
                "<int:pk>/delete-reports/", view(use_case_steps.confirm_deletion), name="reports_usecase_delete_reports"
            ),
        ]
        return own + super().get_urls()

    def get_fieldsets(self, request: HttpRequest, obj: UseCase | None = None) -> Any:
        limit = ("daily_limit", "budget_group", *(("limit_in_force",) if obj is not None else ()))
        return [
            (None, {"fields": ("title", "slug", "description")}),
            (_("People"), {"fields": ("viewer_groups", "owner_group")}),
            (_("Privacy"), {"fields": (*limit, "minimum_reports", "retention_days", "privacy_published")}),
            (_("Results"), {"fields": ("false_positive_rate", "prescribed_threshold", "dictionary_complete")}),
            (_("Changing to a new version"), {"fields": ("grace_days",)}),
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: UseCase | None = None) -> Any:
        known = obj is not None and obj.versions.frozen().exists()
        fixed = ("slug", "limit_in_force") if known else ("limit_in_force",)
        # An owner who takes a use case out of its group would raise the ε of a day of those who answer all of them.
        return fixed if access.may_define(cast(User, request.user)) else (*fixed, "budget_group")

    def get_form(self, request: HttpRequest, obj: UseCase | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        return form if change else type(form.__name__, (form,), {"planned": planned_limits(request)})

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        return super().add_view(request, form_url, steps_of_plan(request, 1) | (extra_context or {}))

    def response_add(self, request: HttpRequest, obj: UseCase, post_url_continue: str | None = None) -> HttpResponse:
        saved = super().response_add(request, obj, post_url_continue)
        planned = planned_parameters(request)
        if not planned:
            return saved
        messages.info(request, gettext("Next: its first version, with the planned parameters."))
        address = reverse("admin:reports_version_add")
        return HttpResponseRedirect(f"{address}?{urlencode({'use_case': obj.slug, **planned})}")

    def save_model(self, request: HttpRequest, obj: UseCase, form: Any, change: bool) -> None:
        changed = form.changed_data if change else []
        if {"minimum_reports", "prescribed_threshold"} & set(changed):
            lock_publications_of([obj])
        super().save_model(request, obj, form, change)
        show_anew(obj, changed)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        use_case = self.get_object(request, object_id)
        context: dict[str, Any] = {}
        if use_case is not None:
            versions = use_case.versions.order_by("-number")
            context = {
                "versions": [(version, kind_of(version)) for version in versions],
                **use_case_steps.life_of(use_case),
            }
        return super().change_view(request, object_id, form_url, context)

    @admin.display(description=_("limit in force"))
    def limit_in_force(self, use_case: UseCase) -> str:
        own, group = use_case.daily_limit, use_case.budget_group
        if group is None:
            return ngettext("%d report a day, its own", "%d reports a day, its own", own) % own
        words = gettext(
            "%(limit)d a day, shared in the budget group “%(group)s”. The use case’s own daily limit (%(own)d)"
            " has no effect."
        )
        return words % {"limit": group.daily_limit, "group": group, "own": own}

    def get_queryset(self, request: HttpRequest) -> QuerySet[UseCase]:
        active = Version.objects.active().filter(use_case=OuterRef("pk"))
        found: QuerySet[UseCase] = super().get_queryset(request).annotate(is_asked=Exists(active))
        return found

    @admin.display(description=_("state"), ordering="state")
    def state_now(self, use_case: UseCase) -> str:
        """Never running where no version is active, and so devices are not asked."""
        waits = use_case.state == UseCase.State.RUNNING and not getattr(use_case, "is_asked", False)
        return gettext("no active version") if waits else use_case.get_state_display()

    @admin.display(description=_("page"))
    def page(self, use_case: UseCase) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("use_case", args=[use_case.slug]), gettext("Histogram"))

    @admin.action(description=_("Aggregate all days of the selected use cases"))
    def aggregate(self, request: HttpRequest, use_cases: QuerySet[UseCase]) -> None:
        started = 0
        for use_case in use_cases:
            for version in use_case.versions.frozen():
                try:
                    start_run(version, user=cast(User, request.user))
                except NothingToAggregate as error:
                    words = gettext("%(name)s: %(value)s") % {"name": version, "value": error}
                    messages.warning(request, words)
                else:
                    started += 1
        if started:
            messages.success(request, ngettext("%d run is under way.", "%d runs are under way.", started) % started)
