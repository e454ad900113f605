"""Deletions of raw reports, day by day."""

from django.contrib import admin

from reports.admin.read_only import ReadOnlyAdmin
from reports.models import Deletion


@admin.register(Deletion)
class DeletionAdmin(ReadOnlyAdmin):
    use_case_path = "version__use_case"
    list_display = ("version", "day", "reports", "never_counted", "reason", "deleted_on", "deleted_by")
    list_filter = (("version__use_case", admin.RelatedOnlyFieldListFilter), "reason", "deleted_on")
    list_select_related = ("version__use_case", "deleted_by")
    fields = list_display
