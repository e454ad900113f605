"""The admin, which does not exist for those who are no staff, and whose doors are guarded like the site's own."""

from functools import update_wrapper
from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.forms import AdminPasswordChangeForm
from django.contrib.auth import authenticate
from django.contrib.auth.views import PasswordChangeView
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse


class ThrottledPasswordChangeForm(AdminPasswordChangeForm):
    def clean_old_password(self) -> str:
        # Asks the backends, as a login does: they count failures, and refuse who had too many.
        authenticate(username=self.user.get_username(), password=self.cleaned_data["old_password"])
        return super().clean_old_password()


class Site(admin.AdminSite):
    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        inner = super().admin_view(view, cacheable)

        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            # Who is not signed in is sent to the login, as everywhere.
            if request.user.is_authenticated and not self.has_permission(request):
                raise Http404
            response: HttpResponseBase = inner(request, *args, **kwargs)
            return response

        return update_wrapper(wrapped, inner)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return cast(HttpResponse, _told(super().login(request, extra_context), NON_FIELD_ERRORS))

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Django's own, with another form, for which it has no setting."""
        view = PasswordChangeView.as_view(
            form_class=ThrottledPasswordChangeForm,
            success_url=reverse("admin:password_change_done", current_app=self.name),
            template_name=self.password_change_template or PasswordChangeView.template_name,
            extra_context=self.each_context(request) | (extra_context or {}),
        )
        request.current_app = self.name
        return _told(view(request), "old_password")


def _told(response: Any, field: str) -> Any:
    """Answer 429 if the form says in this field that the account had too many failures."""
    form = (getattr(response, "context_data", None) or {}).get("form")
    if form is not None and form.has_error(field, "too_many_failures"):
        response.status_code = 429
    return response
