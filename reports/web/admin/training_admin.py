"""Training tasks and their versions: drafted here, activated with what that will spend, frozen from then on."""

from typing import Any, ClassVar, cast

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import Max, Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from reports import access
from reports.models import TrainingTask, TrainingVersion
from reports.training import plan_of
from reports.web.admin import training_steps
from reports.web.admin.admin_pages import refused
from reports.web.admin.editable import EditableAdmin, OwnedAdmin, VersionsAdmin
from reports.web.admin.training_form import TrainingTaskForm, TrainingVersionForm
from reports.web.admin.training_steps import listed


class OfTasks(EditableAdmin):
    """Objects of the training tasks that the person owns; everything for superusers."""

    # From the model to its task; empty for the task itself.
    task_path = ""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        tasks = access.training_tasks(request.user, "edit")
        rows: QuerySet[Any] = self.model._default_manager.filter(
            **{f"{self.task_path or 'pk'}__in": tasks.values("pk")}
        )
        return rows

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return access.may_define(request.user) or access.training_tasks(request.user, "edit").exists()


@admin.register(TrainingTask)
class TrainingTaskAdmin(OfTasks, OwnedAdmin):
    form = TrainingTaskForm
    list_display = ("title", "slug", "active", "published", "owner_group")
    list_select_related = ("owner_group",)
    search_fields = ("title", "slug", "description")
    filter_horizontal = ("viewer_groups",)

    def get_fieldsets(self, request: HttpRequest, obj: TrainingTask | None = None) -> Any:
        return [
            (None, {"fields": ("title", "slug", "description")}),
            (_("People"), {"fields": ("viewer_groups", "owner_group", "epsilon_limit", "published")}),
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: TrainingTask | None = None) -> Any:
        return ("slug",) if obj is not None else ()

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        task = self.get_object(request, object_id)
        context = {"versions": task.versions.order_by("-number")} if task is not None else {}
        return super().change_view(request, object_id, form_url, context)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        active = Q(versions__state=TrainingVersion.State.ACTIVE)
        # At most one version of a task is active.
        rows: QuerySet[Any] = super().get_queryset(request).annotate(active=Max("versions__number", filter=active))
        return rows

    @admin.display(description=_("active version"), ordering="active")
    def active(self, task: Any) -> str:
        return "–" if task.active is None else str(task.active)


@admin.register(TrainingVersion)
class TrainingVersionAdmin(OfTasks, VersionsAdmin):
    task_path = "task"
    form = TrainingVersionForm
    list_display = ("task", "number", "state", "algorithm", "target")
    list_display_links = ("task", "number")
    list_filter = ("state",)
    list_select_related = ("task",)

    pages: ClassVar = {"activate": training_steps.confirm_activation, "copy": training_steps.new_version_from}

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return access.training_tasks(cast(User, request.user), "edit").exists()

    def has_change_permission(self, request: HttpRequest, obj: TrainingVersion | None = None) -> bool:
        frozen = obj is not None and obj.state != TrainingVersion.State.DRAFT
        return not frozen and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: TrainingVersion | None = None) -> bool:
        """Let drafts be discarded, one by one."""
        draft = obj is not None and obj.state == TrainingVersion.State.DRAFT
        return draft and super().has_change_permission(request, obj)

    def get_fieldsets(self, request: HttpRequest, obj: TrainingVersion | None = None) -> Any:
        if obj is not None and obj.state != TrainingVersion.State.DRAFT:
            return [(None, {"fields": ("task", "number", "state", "frozen", "planned")})]
        return [
            (None, {"fields": ("task",)}),
            (_("Model"), {"fields": ("algorithm", "kind", "dimension", "public_features", ("lowest", "highest"))}),
            (_("Privacy"), {"fields": ("population", "target_epsilon", "delta", "rounds", "sampling_rate")}),
            (_("More"), {"fields": ("more",)}),
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: TrainingVersion | None = None) -> Any:
        if obj is None:
            return ()
        return (
            ("task",) if obj.state == TrainingVersion.State.DRAFT else ("task", "number", "state", "frozen", "planned")
        )

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is not None and obj.state != TrainingVersion.State.DRAFT:
            return super().get_form(request, obj, change, **kwargs | {"form": ModelForm})
        return type("Form", (TrainingVersionForm,), {"person": request.user, "task_id": request.GET.get("task", "")})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        version: Any = self.get_object(request, object_id)
        context = {"draft": version is not None and version.state == TrainingVersion.State.DRAFT}
        try:
            return super().change_view(request, object_id, form_url, context)
        except ValidationError as error:
            # Meanwhile it was discarded, or frozen.
            return refused(request, version, error)

    @admin.display(description=_("algorithm"))
    def algorithm(self, version: TrainingVersion) -> str:
        return str(version.parameters["algorithm"])

    @admin.display(description=_("target ε"))
    def target(self, version: TrainingVersion) -> str:
        return str(version.parameters["target_epsilon"])

    @admin.display(description=_("frozen parameters"))
    def frozen(self, version: TrainingVersion) -> SafeString:
        return listed(version.parameters)

    @admin.display(description=_("plan"))
    def planned(self, version: TrainingVersion) -> SafeString:
        return listed(plan_of(version))
