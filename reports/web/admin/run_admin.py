"""Runs and their parts."""

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from reports.models import Part, Run
from reports.web.admin.read_only import ReadOnlyAdmin, ReadOnlyInline


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
        *("version", "revision", "first_day", "last_day", "state", "live_progress", "watch", "why_it_failed"),
        *("not_before", "requested_by", "created_at", "started_at", "finished_at"),
    )
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
