"""Base classes of the admin pages: they show what the person may see, and change nothing."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from reports import access


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Objects of the use cases that the person owns; everything for superusers.

    `use_case_path` leads from the model to its use case, and is empty for the use case itself.
    """

    use_case_path = ""
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        owned = access.use_cases(request.user, "edit")
        path = f"{self.use_case_path}__in" if self.use_case_path else "pk__in"
        rows: QuerySet[Any] = super().get_queryset(request).filter(**{path: owned.values("pk")})
        return rows

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let in owners, and superusers, who make the first use case. Which objects there are, `get_queryset` says."""
        return access.may_define(request.user) or bool(access.owned(request.user))

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kw: Any) -> HttpResponse:
        buttons = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().render_change_form(request, context | buttons, *args, **kw)


class ReadOnlyInline(admin.TabularInline):  # type: ignore[type-arg]
    """Rows that belong to an object, on its page: shown to everybody who may see the object."""

    template = "admin/reports/scrolling_inline.html"
    extra = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
