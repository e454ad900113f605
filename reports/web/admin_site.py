"""The admin, which does not exist for those who are no staff, and whose doors are guarded like the site's own."""

from functools import update_wrapper
from typing import Any, cast

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.forms import AdminPasswordChangeForm
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import PasswordChangeView
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from reports.accounts.throttled_forms import ThrottledPasswordChangeForm, slowed_down


class StaffPasswordChangeForm(ThrottledPasswordChangeForm, AdminPasswordChangeForm):
    """As the admin draws it."""


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

    @login_not_required
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not settings.LDPSITE_PASSWORD_LOGIN:
            return redirect(f"{reverse('login')}?{request.GET.urlencode()}")
        return cast(HttpResponse, _slowed_down(super().login(request, extra_context)))

    @login_not_required  # without a session it leads to the front page
    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return super().logout(request, extra_context)

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Django's own, with another form, for which it has no setting."""
        view = PasswordChangeView.as_view(
            form_class=StaffPasswordChangeForm,
            success_url=reverse("admin:password_change_done", current_app=self.name),
            template_name=self.password_change_template or PasswordChangeView.template_name,
            extra_context=self.each_context(request) | (extra_context or {}),
        )
        request.current_app = self.name
        return _slowed_down(view(request))


def _slowed_down(response: Any) -> Any:
    form = (getattr(response, "context_data", None) or {}).get("form")
    return response if form is None else slowed_down(response, form)
