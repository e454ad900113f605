"""Base classes of the admin pages on which people change things."""

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, ClassVar, cast

from django.contrib.auth.models import User
from django.forms import Form, ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path

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


class VersionsAdmin(EditableAdmin):
    """Versions: drafted, activated, and frozen from then on. What a form says, the one writer of versions stores."""

    # Pages beside the admin's own, by the ends of their addresses.
    pages: ClassVar[Mapping[str, Callable[[HttpRequest, int], HttpResponse]]]

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        own = [
            path(f"<int:pk>/{page}/", self.admin_site.admin_view(view), name=f"{name}_{page}")
            for page, view in self.pages.items()
        ]
        return own + super().get_urls()

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        return form.store()

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Do nothing: the form has stored it."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Do nothing, for the same reason."""

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        return self._then(request, obj, super().response_add(request, obj, post_url_continue))

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        return self._then(request, obj, super().response_change(request, obj))

    def _then(self, request: HttpRequest, obj: Any, saved: HttpResponse) -> HttpResponse:
        """Lead on to what activating a draft means, if the button for that was pressed."""
        leads_on = "_activate" in request.POST and obj.state == "draft"
        return redirect(f"admin:{self.opts.app_label}_{self.opts.model_name}_activate", obj.pk) if leads_on else saved


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
