"""Revisions of dictionaries and their entries, to look at and to search."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from reports import access
from reports.models import DictionaryEntry, DictionaryRevision
from reports.web.admin.read_only import ReadOnlyAdmin
from reports.web.query_strings import key_of


@admin.register(DictionaryRevision)
class DictionaryRevisionAdmin(ReadOnlyAdmin):
    use_case_path = "version__use_case"
    list_display = ("version", "number", "size", "created_at", "entries_link")
    list_select_related = ("version__use_case",)

    @admin.display(description=_("entries"))
    def entries_link(self, revision: DictionaryRevision) -> SafeString:
        return format_html('<a href="{}">{}</a>', entries_address(revision), gettext("Show"))


@admin.register(DictionaryEntry)
class DictionaryEntryAdmin(ReadOnlyAdmin):
    use_case_path = "revision__version__use_case"
    list_display = ("display", "element", "category", "position")
    search_fields = ("element", "display", "category")
    ordering = ("revision_id", "position")  # as the index has them; by way of the revision all rows would be sorted

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        key = key_of(request.GET.get("revision__id__exact", ""))
        owned = DictionaryRevision.objects.filter(version__use_case__in=access.use_cases(request.user, "edit"))
        shown = owned.select_related("version__use_case").filter(pk=key or 0).first()
        title = {"title": str(shown)} if shown is not None else {}
        return super().changelist_view(request, title | (extra_context or {}))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False  # reached from a revision: a list of all dictionaries at once is of no use


def entries_address(revision: DictionaryRevision) -> str:
    return f"{reverse('admin:reports_dictionaryentry_changelist')}?revision__id__exact={revision.pk}"
