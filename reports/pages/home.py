"""The first page: the use cases one may see, and how far each is."""

from dataclasses import dataclass
from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Exists, Max, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from aggregation.mechanisms import SequenceFragmentPuzzle
from reports.access import use_cases
from reports.models import Histogram, Part, Run, Shard, UseCase, Version
from reports.pages.locales import UNDIVIDED
from reports.pages.people import person
from reports.pages.runs import VIEWERS_STEP


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    visible = use_cases(person(request), "view")
    found = list(with_progress(visible.exclude(state=UseCase.State.ARCHIVED)))
    progress = _percents(request, found)
    cards = [Card(use_case, progress.get(use_case.pk)) for use_case in found]
    context = {
        "cards": cards,
        "busy": [card for card in cards if card.percent is not None],
        "archived": visible.filter(state=UseCase.State.ARCHIVED),
        "uploader": use_cases(person(request), "upload").exists(),
    }
    # What a script asks for while a run is under way, to have the newest in place of what is shown.
    return render(request, "reports/_cards.html" if "cards" in request.GET else "reports/home.html", context)


@dataclass(frozen=True)
class Card:
    """A use case, and how far its unfinished run is."""

    use_case: UseCase
    percent: int | None

    @property
    def everywhere(self) -> bool:
        """Whether it is not divided by locale."""
        return bool(cast(Any, self.use_case).active_locales == [UNDIVIDED])

    @property
    def discovers(self) -> bool:
        """Whether it looks for words, where others count a dictionary."""
        return bool(cast(Any, self.use_case).active_algorithm == SequenceFragmentPuzzle.algorithm)


def _percents(request: HttpRequest, found: list[UseCase]) -> dict[int, int]:
    """How far the latest run of each use case is, for those where it is not finished."""
    unfinished = {cast(Any, each).run: each.pk for each in found if cast(Any, each).run_state in Run.UNFINISHED}
    if not unfinished:
        return {}
    owned = set(use_cases(person(request), "edit").values_list("pk", flat=True))
    percents = dict.fromkeys(unfinished.values(), 0)
    parts = Part.objects.filter(run__in=unfinished).order_by().values("run")
    for run, total, done in parts.annotate(total=Count("pk"), done=Count("finished_at")).values_list(
        "run", "total", "done"
    ):
        percent = 100 * done // (total + 1)
        use_case = unfinished[run]
        percents[use_case] = percent if use_case in owned else percent // VIEWERS_STEP * VIEWERS_STEP
    return percents


def with_progress(found: QuerySet[UseCase]) -> QuerySet[UseCase]:
    """Annotates what a card says.

    `active_locales`, `active_algorithm`, `last_day` of what is published, the latest `run` and `run_state`, and
    `has_reports`.
    """
    versions = Version.objects.filter(use_case=OuterRef("pk"))
    published = Histogram.objects.filter(version__use_case=OuterRef("pk"), replaced=False).order_by()
    runs = Run.objects.filter(version__use_case=OuterRef("pk")).order_by("-created_at")
    return found.annotate(
        active_locales=Subquery(versions.filter(state=Version.State.ACTIVE).values("locales")[:1]),
        active_algorithm=Subquery(versions.filter(state=Version.State.ACTIVE).values("algorithm")[:1]),
        last_day=Subquery(published.values("version__use_case").annotate(last=Max("last_day")).values("last")),
        run=Subquery(runs.values("pk")[:1]),
        run_state=Subquery(runs.values("state")[:1]),
        has_reports=Exists(Shard.objects.filter(version__use_case=OuterRef("pk"))),
    )
