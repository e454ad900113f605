"""Base classes of the admin pages on which people change things."""

from copy import copy
from typing import Any, cast

from django.contrib.auth.models import User
from django.forms import Form, ModelForm
from django.http import HttpRequest, HttpResponse

from reports import access
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


class OwnedAdmin(EditableAdmin):
    """Use cases and training tasks: made by those who define them, and given to a group of owners."""

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Any]:
        # Once it is there, title and identifier go their own ways.
        return {"slug": ("title",)} if obj is None else {}

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return access.may_define(cast(User, request.user))

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        person = cast(User, request.user)
        if db_field.name == "owner_group":
            # An owner who empties it would have locked the door from outside.
            kwargs |= {"queryset": access.owner_groups(person), "required": not access.may_define(person)}
        return super().formfield_for_foreignkey(db_field, request, **kwargs)
