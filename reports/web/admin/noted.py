"""Results in the admin: viewings are recorded, as on the site's own pages."""

from collections.abc import Iterable
from typing import Any, cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from reports.models import UseCase
from reports.viewings import record_viewing
from reports.web.admin.read_only import ReadOnlyAdmin


class NotedAdmin(ReadOnlyAdmin):
    """Objects that disclose results. A list is a viewing of each use case in it."""

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        response = super().changelist_view(request, extra_context)
        context = response.context_data if isinstance(response, TemplateResponse) else None
        if context is not None and "cl" in context:
            self._note(request, context["cl"].result_list)
        return response

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, *args: Any, **kw: Any
    ) -> HttpResponse:
        return self._noted(request, object_id, super().changeform_view(request, object_id, *args, **kw))

    def history_view(self, request: HttpRequest, object_id: str, *args: Any, **kw: Any) -> HttpResponse:
        return self._noted(request, object_id, super().history_view(request, object_id, *args, **kw))

    def _noted(self, request: HttpRequest, object_id: str | None, response: HttpResponse) -> HttpResponse:
        shown = self.get_object(request, object_id) if object_id is not None else None
        if shown is not None and isinstance(response, TemplateResponse):
            self._note(request, [shown])
        return response

    def _note(self, request: HttpRequest, shown: Iterable[Any]) -> None:
        for use_case in sorted({self._use_case_of(each) for each in shown}, key=lambda found: found.pk):
            record_viewing(cast(User, request.user), use_case, "admin")

    def _use_case_of(self, shown: Any) -> UseCase:
        for step in self.use_case_path.split("__"):
            shown = getattr(shown, step)
        return cast(UseCase, shown)
