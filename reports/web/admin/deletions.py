"""Deletions of raw reports, day by day."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from reports.collection.retention import in_words
from reports.models import Deletion
from reports.web.admin.read_only import ReadOnlyAdmin


@admin.register(Deletion)
class DeletionAdmin(ReadOnlyAdmin):
    use_case_path = "version__use_case"
    list_display = ("version", "day", "how_many", "uncounted", "reason", "deleted_on", "deleted_by")
    list_filter = (("version__use_case", admin.RelatedOnlyFieldListFilter), "reason", "deleted_on")
    list_select_related = ("version__use_case", "deleted_by")
    fields = list_display

    @admin.display(description=_("reports"))
    def how_many(self, deletion: Deletion) -> str:
        return in_words(deletion, deletion.version.use_case.minimum_reports)[0]

    @admin.display(description=_("of them never counted"))
    def uncounted(self, deletion: Deletion) -> str:
        return in_words(deletion, deletion.version.use_case.minimum_reports)[1]
