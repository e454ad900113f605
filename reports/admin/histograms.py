"""What was published about which window, and how its words were found. The entries are on the site's own pages."""

from django.contrib import admin

from reports.admin.noted import NotedAdmin
from reports.admin.read_only import ReadOnlyInline
from reports.models import Discovery, Histogram


class DiscoveryInline(ReadOnlyInline):
    model = Discovery
    template = "admin/edit_inline/stacked.html"
    fields = (
        "reports",
        "cuts",
        "kept",
        "capped",
        "joined",
        "strictness",
        "candidates",
        "smallest_share",
        "by_day",
    )


@admin.register(Histogram)
class HistogramAdmin(NotedAdmin):
    use_case_path = "version__use_case"
    list_display = ("version", "locale", "first_day", "last_day", "grouping", "n", "generated_at", "replaced")
    list_filter = ("replaced",)
    list_select_related = ("version__use_case",)
    fields = (
        "version",
        "revision",
        "locale",
        "grouping",
        "first_day",
        "last_day",
        "n",
        "alpha",
        "threshold",
        "prescribed_threshold",
        "below_threshold",
        "generated_at",
        "replaced",
    )
    inlines = (DiscoveryInline,)
