"""Batches of reports, and deletions of raw reports."""

from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from reports import access
from reports.collection import NotQuarantined, NotWithdrawable, TooLate, release, withdraw
from reports.collection.ingest import decisions, evidence, findings_of
from reports.models import Batch, Deletion, UseCase
from reports.retention import in_words
from reports.web.admin.read_only import ReadOnlyAdmin


def _titles(use_case_ids: set[int]) -> dict[int, str]:
    return dict(UseCase.objects.filter(pk__in=use_case_ids).values_list("pk", "title"))


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    list_display = ("id", "state", "day", "use_cases", "accepted", "rejected_count", "reasons")
    list_filter = ("state", "day")
    fields = ("id", "day", "use_cases", "state", "accepted", "reasons", "evidence", "decided", "page")
    actions = ("release_batches", "withdraw_batches")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Batch]:
        return access.batches(request.user)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        # Titles for the whole page at once, not a query for each line.
        page = super().get_changelist_instance(request)
        titles = _titles({pk for batch in page.result_list for pk in batch.use_case_ids})
        for batch in page.result_list:
            batch.titles = titles
        return page

    @admin.display(description=_("use cases"))
    def use_cases(self, batch: Batch) -> str:
        titles = getattr(batch, "titles", None) or _titles(set(batch.use_case_ids))
        return ", ".join(sorted(titles[pk] for pk in batch.use_case_ids if pk in titles))

    @admin.display(description=_("rejected"))
    def rejected_count(self, batch: Batch) -> int:
        return sum(batch.rejected.values())

    @admin.display(description=_("reasons for rejection"))
    def reasons(self, batch: Batch) -> SafeString | str:
        """Link the names of reasons to their explanations."""
        format_page = reverse("report_format")
        found = [(format_page, reason, reason, f"{count:,}") for reason, count in sorted(batch.rejected.items())]
        return format_html_join(", ", '<a href="{}#{}">{}</a>: {}', found) or "–"

    @admin.display(description=_("evidence"))
    def evidence(self, batch: Batch) -> SafeString | str:
        """List what makes a batch suspicious, also once it was decided about."""
        found = [finding for place in findings_of(batch) for finding in place]
        lines = [
            evidence(finding, ", ".join(filter(None, [str(finding.version), finding.locale]))) for finding in found
        ]
        words = [(each.where, each.words, each.chance) for each in lines]
        return format_html_join("", "<p><strong>{}</strong><br>{} ({})</p>", words) if words else "–"

    @admin.display(description=_("decisions"))
    def decided(self, batch: Batch) -> str:
        """Name who released or deleted a batch that is or was in quarantine."""
        return " ".join(decisions(batch)) or "–"

    @admin.display(description=_("page"))
    def page(self, batch: Batch) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("batch", args=[batch.pk]), gettext("See the batch"))

    @admin.action(description=_("Release the selected batches from quarantine"))
    def release_batches(self, request: HttpRequest, batches: QuerySet[Batch]) -> None:
        for batch in batches:
            try:
                released = release(batch, cast(User, request.user))
            except TooLate:
                words = gettext("Batch %(batch)s can no longer be released: its reports are about to be deleted.")
                messages.error(request, words % {"batch": batch})
            except NotQuarantined:
                messages.error(request, gettext("Batch %(batch)s is not in quarantine.") % {"batch": batch})
            else:
                values = {"batch": batch, "day": date_format(released.day)}
                messages.success(request, gettext("Batch %(batch)s is released, and counts on %(day)s.") % values)

    @admin.action(description=_("Withdraw the selected batches (in quarantine, or of open days)"))
    def withdraw_batches(self, request: HttpRequest, batches: QuerySet[Batch]) -> None:
        for batch in batches:
            try:
                withdraw(batch, cast(User, request.user))
            except NotWithdrawable:
                messages.error(
                    request,
                    gettext("Batch %(batch)s was not withdrawn: its day is closed, or it is withdrawn already.")
                    % {"batch": batch},
                )
            else:
                messages.success(request, gettext("Batch %(batch)s is withdrawn.") % {"batch": batch})


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
