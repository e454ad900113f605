"""Results, decisions about words, and who looked: read only.

The entries of lists of words are on the site's own pages. Histograms of dictionaries are a cache, and not here: which
are kept tells what was asked for, not what is shown.
"""

from collections.abc import Callable
from functools import wraps
from operator import attrgetter
from typing import Any, cast

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from reports.models import Discovery, Histogram, Viewing, WordDecision
from reports.viewings import IN_WORDS, record_viewing
from reports.web.admin.read_only import ReadOnlyAdmin, ReadOnlyInline


def _recorded(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Record what a view shows as viewings: a list is one of each use case in it."""

    @wraps(view)
    def recording(self: "RecordedAdmin", request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(self, request, *args, **kwargs)
        context = getattr(response, "context_data", None) or {}
        shown = context["cl"].result_list if "cl" in context else [context.get("original") or context.get("object")]
        use_cases = {attrgetter(self.use_case_path.replace("__", "."))(each) for each in shown if each is not None}
        for use_case in sorted(use_cases, key=attrgetter("pk")):
            record_viewing(cast(User, request.user), use_case, "admin")
        return response

    return recording


class RecordedAdmin(ReadOnlyAdmin):
    """Objects that disclose results: viewings are recorded, as on the site's own pages."""

    changelist_view = _recorded(ReadOnlyAdmin.changelist_view)
    changeform_view = _recorded(ReadOnlyAdmin.changeform_view)
    history_view = _recorded(ReadOnlyAdmin.history_view)


class DiscoveryInline(ReadOnlyInline):
    model = Discovery
    template = "admin/edit_inline/stacked.html"
    fields = ("reports", "cuts", "kept", "capped", "joined", "strictness", "candidates", "smallest_share")


@admin.register(Histogram)
class HistogramAdmin(RecordedAdmin):
    use_case_path = "version__use_case"
    list_display = ("version", "locale", "first_day", "last_day", "n", "generated_at")
    list_select_related = ("version__use_case",)
    fields = (*list_display, "alpha", "threshold", "prescribed_threshold", "below_threshold")
    inlines = (DiscoveryInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(revision=None)


@admin.register(WordDecision)
class WordDecisionAdmin(RecordedAdmin):
    use_case_path = "use_case"
    list_display = ("word", "use_case", "locale", "verdict", "dictionary", "kind", "note", "decided_by", "decided_at")
    list_filter = ("verdict", "kind")
    list_select_related = ("use_case", "decided_by")
    search_fields = ("word", "dictionary", "note")
    fields = list_display


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
    list_display = ("at", "use_case", "training_task", "kind", "user", "token")
    # Only those who looked at what the reader owns.
    list_filter = (
        KindFilter,
        *((name, admin.RelatedOnlyFieldListFilter) for name in ("use_case", "training_task", "user", "token")),
    )
    list_select_related = ("use_case", "training_task", "user", "token")
    date_hierarchy = "at"
    fields = list_display

    @admin.display(description=_("what"), ordering="what")
    def kind(self, viewing: Viewing) -> str:
        return str(IN_WORDS.get(viewing.what, viewing.what))
