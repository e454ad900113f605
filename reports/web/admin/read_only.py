"""What all pages of the admin have in common: they show what the person may see, and change nothing."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from reports import access


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Objects of the use cases that somebody owns; everything for superusers.

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
        # Superusers come here before there is a use case: to make the first.
        if not access.may_define(request.user) and not access.owned(request.user):
            return False
        return obj is None or self.get_queryset(request).filter(pk=obj.pk).exists()

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyInline(admin.TabularInline):  # type: ignore[type-arg]
    """What belongs to an object, on its page: seen by whoever sees that."""

    extra = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
