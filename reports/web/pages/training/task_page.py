"""A training task: how good its model is, at which ε, and all that left the boundary."""

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reports.access import training_tasks
from reports.formatting import whole
from reports.models import TrainingRun, TrainingVersion
from reports.training.documents import released
from reports.training.ledgers import Ledger, ledger_of
from reports.training.run_facts import RunFacts, Setting, named_run, runs_together, with_rounds
from reports.viewings import record_viewing
from reports.web.pages.exports import downloads
from reports.web.pages.people import person
from reports.web.pages.provenance_facts import Facts, asked
from reports.web.pages.training.training_answers import (
    answers_context,
    best_of,
    headline,
    statement_address,
    tree_length,
)
from reports.web.pages.training.training_charts import charts, drawn
from reports.web.pages.training.training_progress import under_way
from reports.web.pages.training.training_tables import (
    LISTED,
    ledger_table,
    releases_table,
    rounds_table,
    runs_table,
    sums_table,
    took,
)
from reports.web.pages.training.training_words import (
    algorithm_name,
    algorithm_of,
    delta_text,
    epsilon_words,
    model_name,
    number_text,
    people_words,
    run_name,
)


@require_safe
@never_cache
def task(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(training_tasks(person(request), "view"), slug=slug)
    edits = training_tasks(person(request), "edit").filter(pk=found.pk).exists()
    wanted = request.GET.get("run", "")
    runs = TrainingRun.objects.filter(version__task=found).order_by("-created_at", "pk").values_list("pk", flat=True)
    page = Paginator(runs, LISTED).get_page(request.GET.get("page"))
    together, ledger = runs_together(found, wanted, [*page]), ledger_of(found)
    shown = together.shown
    versions = {version.state: version for version in found.versions.exclude(state=TrainingVersion.State.CLOSED)}
    version = versions.get(TrainingVersion.State.ACTIVE)
    context = {
        "task": found,
        "version": version,
        "draft": versions.get(TrainingVersion.State.DRAFT),
        "edits": edits,
        "shown": shown,
        "downloads_of_runs": downloads("training_runs", found.slug),
        **under_way(found, edits=edits),
    }
    if wanted and (shown is None or str(shown.run.pk) != wanted):
        context["instead"] = {"of": named_run(found, wanted), "name": "" if shown is None else run_name(shown)}
    of_run = shown.run.version if shown is not None else version
    if of_run is not None:
        context["facts"] = _facts(of_run, ledger, shown)
    if page.paginator.count:
        context |= {"sums": sums_table(ledger), "ledger": ledger_table(together.listed), "page": page}
    if shown is not None:
        context |= _result(request, shown, ledger, together.settings)
        record_viewing(person(request), found, "page")
    return render(request, "reports/training_task.html", context)


def _result(request: HttpRequest, shown: RunFacts, ledger: Ledger, settings: Sequence[Setting]) -> dict[str, Any]:
    with_rounds([setting.run for setting in drawn(settings)])
    slug = shown.run.version.task.slug
    address = request.build_absolute_uri(f"{reverse('training_task', args=[slug])}?run={shown.run.pk}")
    provenance, releases = _provenance(shown), released(shown.run)
    found = [*charts(settings, provenance=provenance, address=address)]
    return {
        "headline": headline(shown, best_of(settings)),
        "statement": statement_address(shown),
        **answers_context(settings, ledger, releases),
        "name": run_name(shown),
        "first_charts": found[:1],
        "charts": found[1:],
        "runs": runs_table(settings),
        "rounds": rounds_table(shown),
        "releases": releases_table(shown, releases),
        "separation": tree_length(shown) if shown.algorithm.startswith("dp_ftrl") else 0,
        "downloads_of_rounds": downloads("training_rounds", shown.run.pk),
        "downloads_of_releases": downloads("training_releases", shown.run.pk),
        "provenance": provenance,
        "exactly": address,
    }


def _facts(version: TrainingVersion, ledger: Ledger, shown: RunFacts | None) -> list[tuple[str, ...]]:
    """Facts of the run that is shown, of its own version; of a version where there is none."""
    parameters = version.parameters
    epsilon, delta = number_text((version.plan or {}).get("epsilon", 0.0)), delta_text(parameters["delta"])
    if shown is not None:
        epsilon = _("without noise") if shown.target is None else number_text(shown.target)
        delta = delta if shown.target is not None else "–"
    spent = _("real devices have spent %(spent)s in all") % {"spent": number_text(ledger.devices.epsilon)}
    return [
        (_("ε of a run"), epsilon, spent),
        ("δ", delta),
        (_("Version"), whole(version.number)),
        (_("Population"), whole(parameters["population"]), people_words(None if shown is None else shown.people)),
        (_("Rounds"), whole(parameters["rounds"])),
        (_("Model"), model_name(parameters)),
        (_("Algorithm"), algorithm_name(parameters["algorithm"])),
    ]


def _provenance(run: RunFacts) -> Facts:
    of: TrainingRun = run.run
    path = _("the processes of all roles") if of.sealed else _("a vectorised equivalent of all devices")
    return [
        (_("Training task"), f"{of.version.task.slug}, {_('version %(number)s') % {'number': of.version.number}}"),
        (_("Algorithm"), algorithm_of(run)),
        (_("Noise"), epsilon_words(run)),
        (_("Data"), str(of.source_of_data.label)),
        (_("Path of contributions"), path),
        (_("Held out"), str(TrainingRun.Split(of.split).label)),
        (
            _("Seed"),
            str(of.seed)
            if run.target is None
            else _("%(seed)s; the seed alone does not give the noise") % {"seed": of.seed},
        ),
        *asked(of, _("a command, or an account that has been deleted since")),
        (_("Took"), took(run)),
    ]
