"""The admin, which does not exist for those who are no staff."""

from functools import update_wrapper
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponseBase


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
