"""Lists of words that runs published, and how these were found. The entries are on the site's own pages.

Histograms of dictionaries are a cache, and not here: which are kept tells what was asked for, not what is shown.
"""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from reports.models import Discovery, Histogram
from reports.web.admin.noted import NotedAdmin
from reports.web.admin.read_only import ReadOnlyInline


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
    )


@admin.register(Histogram)
class HistogramAdmin(NotedAdmin):
    use_case_path = "version__use_case"
    list_display = ("version", "locale", "first_day", "last_day", "n", "generated_at")
    list_select_related = ("version__use_case",)
    fields = (
        "version",
        "locale",
        "first_day",
        "last_day",
        "n",
        "alpha",
        "threshold",
        "prescribed_threshold",
        "below_threshold",
        "generated_at",
    )
    inlines = (DiscoveryInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(revision=None)
