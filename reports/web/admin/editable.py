"""Base classes of the admin pages on which people change things."""

from copy import copy
from typing import Any

from django.forms import Form, ModelForm
from django.http import HttpRequest, HttpResponse

from reports.web.admin.admin_pages import page_of
from reports.web.admin.read_only import ReadOnlyAdmin
from reports.web.change_history import changes_in_words


class EditableForm(ModelForm):  # type: ignore[type-arg]
    def full_clean(self) -> None:
        """Hold what was sent to the rules of the model; refused, it is not shown as what is stored."""
        stored, self.instance = self.instance, copy(self.instance)
        super().full_clean()
        if self.errors:
            self.instance = stored


class EditableAdmin(ReadOnlyAdmin):
    """Objects to be changed by their owners, never deleted; after saving, their page shows what the change means."""

    class Media:
        css = {"all": ("reports/admin.css",)}

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_view_permission(request, obj)

    def construct_change_message(self, request: HttpRequest, form: Form, formsets: Any, add: bool = False) -> Any:
        return changes_in_words(form) if not add else super().construct_change_message(request, form, formsets, add)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        super().response_add(request, obj, post_url_continue)  # for its message
        return page_of(obj)

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        super().response_change(request, obj)
        return page_of(obj)
