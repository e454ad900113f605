"""Viewings of results, for owners and superusers; read only."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from reports.models import Viewing
from reports.viewings import IN_WORDS
from reports.web.admin.read_only import ReadOnlyAdmin


class KindFilter(admin.SimpleListFilter):
    title = _("what")
    parameter_name = "what"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(IN_WORDS.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Viewing]) -> QuerySet[Viewing]:
        # Others are no choice, and the database does not compare every text.
        return queryset.filter(what=self.value()) if self.value() in IN_WORDS else queryset


@admin.register(Viewing)
class ViewingAdmin(ReadOnlyAdmin):
    use_case_path = "use_case"
    list_display = ("at", "use_case", "kind", "user", "token")
    # Only those who looked at what the reader owns.
    list_filter = (
        ("use_case", admin.RelatedOnlyFieldListFilter),
        KindFilter,
        ("user", admin.RelatedOnlyFieldListFilter),
        ("token", admin.RelatedOnlyFieldListFilter),
    )
    list_select_related = ("use_case", "user", "token")
    date_hierarchy = "at"
    fields = ("at", "use_case", "kind", "user", "token")
    readonly_fields = ("kind",)

    @admin.display(description=_("what"), ordering="what")
    def kind(self, viewing: Viewing) -> str:
        return str(IN_WORDS.get(viewing.what, viewing.what))
