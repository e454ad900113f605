"""Batches and runs."""

from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
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
from reports.models import Batch, Part, Run, UseCase
from reports.web.admin.read_only import ReadOnlyAdmin, ReadOnlyInline


def _titles(use_case_ids: set[int]) -> dict[int, str]:
    return dict(UseCase.objects.filter(pk__in=use_case_ids).values_list("pk", "title"))


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    list_display = ("id", "state", "day", "use_cases", "accepted", "rejected_count", "reasons")
    list_filter = ("state", "day")
    fields = ("id", "day", "use_cases", "state", "accepted", "reasons", "evidence", "decided", "page")
    readonly_fields = ("use_cases", "reasons", "evidence", "decided", "page")
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
                words = gettext("Nobody decided about batch %(batch)s in time: its reports are about to be deleted.")
                messages.error(request, words % {"batch": batch})
            except NotQuarantined:
                messages.error(request, gettext("Batch %(batch)s is not in quarantine.") % {"batch": batch})
            else:
                values = {"batch": batch, "day": date_format(released.day)}
                messages.success(request, gettext("Batch %(batch)s is released, and counted on %(day)s.") % values)

    @admin.action(description=_("Withdraw the selected batches (in quarantine, or of open days)"))
    def withdraw_batches(self, request: HttpRequest, batches: QuerySet[Batch]) -> None:
        for batch in batches:
            try:
                withdraw(batch, cast(User, request.user))
            except NotWithdrawable:
                messages.error(
                    request,
                    gettext("Batch %(batch)s stays: its day is sealed, or it is withdrawn already.") % {"batch": batch},
                )
            else:
                messages.success(request, gettext("Batch %(batch)s is withdrawn.") % {"batch": batch})


class PartInline(ReadOnlyInline):
    """The work of a run; rows and shards are those of a range, from the first to before the end."""

    model = Part
    fields = (
        "step",
        "locale",
        "start_row",
        "stop_row",
        "start_shard",
        "stop_shard",
        "attempts",
        "errors",
        "finished_at",
    )


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    use_case_path = "version__use_case"
    list_display = ("version", "first_day", "last_day", "state", "progress", "created_at", "finished_at", "watch")
    list_filter = ("state",)
    list_select_related = ("version__use_case",)
    fields = (
        "version",
        "revision",
        "first_day",
        "last_day",
        "state",
        "live_progress",
        "watch",
        "why_it_failed",
        "not_before",
        "requested_by",
        "created_at",
        "started_at",
        "finished_at",
    )
    readonly_fields = ("live_progress", "watch", "why_it_failed")
    inlines = (PartInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        done = Count("parts", filter=Q(parts__finished_at__isnull=False))
        runs: QuerySet[Run] = super().get_queryset(request).annotate(total=Count("parts"), done=done)
        return runs

    class Media:
        js = ("reports/progress.js",)

    @admin.display(description=_("progress"))
    def progress(self, run: Run) -> str:
        return f"{run.done} / {run.total}"  # type: ignore[attr-defined]

    @admin.display(description=_("progress"))
    def live_progress(self, run: Run) -> SafeString | str:
        """Show the fragment of the run's page, which the same script keeps up to date."""
        if run.state not in Run.UNFINISHED:
            return self.progress(run)
        address = reverse("run_progress", args=[run.pk])
        return format_html(
            '<div id="progress" data-address="{}" aria-live="polite"><div>{}</div></div>', address, self.progress(run)
        )

    @admin.display(description=_("page"))
    def watch(self, run: Run) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("run", args=[run.pk]), gettext("Watch"))

    @admin.display(description=_("reason of failure"))
    def why_it_failed(self, run: Run) -> str:
        return run.failure_in_words
