"""Use cases, versions and dictionaries."""

from typing import cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from reports.admin.read_only import ReadOnlyAdmin
from reports.models import DictionaryEntry, DictionaryRevision, UseCase, Version
from reports.runs import NothingToAggregate, start_run


@admin.register(UseCase)
class UseCaseAdmin(ReadOnlyAdmin):
    list_display = ("title", "slug", "minimum_reports", "retention_days", "owner_group", "page")
    search_fields = ("title", "slug", "description")
    actions = ("aggregate",)

    @admin.display(description=_("page"))
    def page(self, use_case: UseCase) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("use_case", args=[use_case.slug]), gettext("Histogram"))

    @admin.action(description=_("Aggregate all days of the selected use cases"))
    def aggregate(self, request: HttpRequest, use_cases: QuerySet[UseCase]) -> None:
        started = 0
        for use_case in use_cases:
            for version in use_case.versions.exclude(state=Version.State.DRAFT):
                try:
                    start_run(version, user=cast(User, request.user))
                except NothingToAggregate as error:
                    messages.warning(request, f"{version}: {error}")
                else:
                    started += 1
        if started:
            messages.success(request, ngettext("%d run is under way.", "%d runs are under way.", started) % started)


@admin.register(Version)
class VersionAdmin(ReadOnlyAdmin):
    use_case_path = "use_case"
    list_display = ("use_case", "number", "state", "algorithm", "normalization", "locales", "accepts_until")
    list_filter = ("state", "algorithm")
    list_select_related = ("use_case",)


@admin.register(DictionaryRevision)
class DictionaryRevisionAdmin(ReadOnlyAdmin):
    use_case_path = "version__use_case"
    list_display = ("version", "number", "size", "created_at", "entries_link")
    list_select_related = ("version__use_case",)

    @admin.display(description=_("entries"))
    def entries_link(self, revision: DictionaryRevision) -> SafeString:
        address = reverse("admin:reports_dictionaryentry_changelist")
        return format_html('<a href="{}?revision__id__exact={}">{}</a>', address, revision.pk, gettext("Show"))


@admin.register(DictionaryEntry)
class DictionaryEntryAdmin(ReadOnlyAdmin):
    use_case_path = "revision__version__use_case"
    list_display = ("display", "element", "category", "position")
    search_fields = ("element", "display", "category")
    list_filter = (("revision", admin.RelatedOnlyFieldListFilter),)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False  # reached from a revision: a list of all dictionaries at once helps nobody
