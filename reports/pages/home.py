"""The first page: the use cases one may see, and how far each is."""

from django.contrib.auth.decorators import login_required
from django.db.models import Exists, Max, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reports.access import use_cases
from reports.models import Histogram, Run, Shard, UseCase, Version
from reports.pages.people import person


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    context = {
        "use_cases": with_progress(use_cases(person(request), "view")),
        "states": Run.State,
        "uploader": use_cases(person(request), "upload").exists(),
    }
    return render(request, "reports/home.html", context)


def with_progress(found: QuerySet[UseCase]) -> QuerySet[UseCase]:
    """Annotates `active_locales`, `last_day` of what is published, `run_state` of the latest run, `has_reports`."""
    versions = Version.objects.filter(use_case=OuterRef("pk"))
    published = Histogram.objects.filter(version__use_case=OuterRef("pk"), replaced=False).order_by()
    runs = Run.objects.filter(version__use_case=OuterRef("pk")).order_by("-created_at")
    return found.annotate(
        active_locales=Subquery(versions.filter(state=Version.State.ACTIVE).values("locales")[:1]),
        last_day=Subquery(published.values("version__use_case").annotate(last=Max("last_day")).values("last")),
        run_state=Subquery(runs.values("state")[:1]),
        has_reports=Exists(Shard.objects.filter(version__use_case=OuterRef("pk"))),
    )
