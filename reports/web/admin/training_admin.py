"""Training tasks and their versions: drafted here, activated with what that will spend, frozen from then on."""

import json
from collections.abc import Mapping
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import Max, Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST

from aggregation import training
from reports import access
from reports.models import TrainingTask, TrainingVersion, failures
from reports.training import activate, draft_from, parameters_digest, parameters_of, plan_of
from reports.web.admin.admin_pages import admin_page, page_of
from reports.web.admin.editable import EditableAdmin, OwnedAdmin
from reports.web.admin.training_form import TrainingTaskForm, TrainingVersionForm
from reports.web.change_history import note


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
class TrainingVersionAdmin(OfTasks):
    task_path = "task"
    form = TrainingVersionForm
    list_display = ("task", "number", "state", "algorithm", "target")
    list_display_links = ("task", "number")
    list_filter = ("state",)
    list_select_related = ("task",)

    def get_urls(self) -> list[URLPattern]:
        own = [
            path(f"<int:pk>/{name}/", self.admin_site.admin_view(view), name=f"reports_trainingversion_{name}")
            for name, view in (("activate", confirm_activation), ("copy", new_version_from))
        ]
        return own + super().get_urls()

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
            return _refused(request, version, error)

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        return form.store()

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Do nothing: the form has stored it, through the one writer of versions."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        pass

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        return self._then(request, obj, super().response_add(request, obj, post_url_continue))

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        return self._then(request, obj, super().response_change(request, obj))

    def _then(self, request: HttpRequest, obj: TrainingVersion, saved: HttpResponse) -> HttpResponse:
        return redirect("admin:reports_trainingversion_activate", obj.pk) if "_activate" in request.POST else saved

    @admin.display(description=_("algorithm"))
    def algorithm(self, version: TrainingVersion) -> str:
        return str(version.parameters["algorithm"])

    @admin.display(description=_("target ε"))
    def target(self, version: TrainingVersion) -> str:
        return str(version.parameters["target_epsilon"])

    @admin.display(description=_("frozen parameters"))
    def frozen(self, version: TrainingVersion) -> SafeString:
        return _listed(version.parameters)

    @admin.display(description=_("plan"))
    def planned(self, version: TrainingVersion) -> SafeString:
        return _listed(plan_of(version))


def _listed(values: Mapping[str, Any]) -> SafeString:
    rows = format_html_join("", '<div><dt>{}</dt><dd class="wide"><code>{}</code></dd></div>', _written(values).items())
    return format_html('<dl class="figures">{}</dl>', rows)


def _written(values: Mapping[str, Any]) -> dict[str, str]:
    """Return values as a task file has them, numbers with as many digits as matter."""
    parts = {name: value for name, value in values.items() if value is not None}
    for name, value in list(parts.items()):
        if isinstance(value, dict):
            del parts[name]
            parts |= {f"{name}: {part}": inner for part, inner in value.items()}
    return {name: f"{value:.6g}" if isinstance(value, float) else json.dumps(value) for name, value in parts.items()}


def _owned(request: HttpRequest, pk: int) -> TrainingVersion:
    """Return a version that the person may change; for others it does not exist."""
    tasks = access.training_tasks(cast(User, request.user), "edit")
    return get_object_or_404(TrainingVersion.objects.select_related("task"), pk=pk, task__in=tasks)


def _refused(request: HttpRequest, version: TrainingVersion, error: ValidationError) -> HttpResponse:
    for words in error.messages:
        messages.error(request, words)
    return page_of(version)


@require_http_methods(["GET", "HEAD", "POST"])
def confirm_activation(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what will be frozen and spent, and activate it once that is confirmed."""
    version = _owned(request, pk)
    try:
        if request.method != "POST" and version.state == TrainingVersion.State.DRAFT:
            plan = training.plan_training(parameters_of(version)).to_mapping()
            more = {
                "plan": plan,
                "delta": f"{plan['delta']:g}",
                "before": version.task.active_version(),
                "rules": _listed(version.parameters),
                "planned": _listed(plan),
                "digest": parameters_digest(version),
            }
            return admin_page(request, version, gettext("Activate"), "activate", more)
        activated = activate(version, confirmed=request.POST.get("parameters", ""))
    except training.InvalidTask as error:
        for problem in error.problems:
            messages.error(request, failures.in_words(str(problem)))
        return page_of(version)
    except ValidationError as error:
        return _refused(request, version, error)
    note(request, activated, gettext("Activated."))
    messages.success(request, gettext("Version %(number)s is active, and frozen.") % {"number": activated.number})
    return page_of(activated)


@require_POST
def new_version_from(request: HttpRequest, pk: int) -> HttpResponse:
    source = _owned(request, pk)
    draft = draft_from(source)
    numbers = {"number": draft.number, "source": source.number}
    note(request, draft, gettext("Drafted from version %(source)d.") % numbers, added=True)
    messages.success(request, gettext("Version %(number)d is a draft, made from version %(source)d.") % numbers)
    return page_of(draft)
