"""All training tasks that a person may see: how good each model is, and what it has cost."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import may_define, training_tasks
from reports.models import TrainingRun, TrainingTask
from reports.training.run_facts import Ledger, RunFacts, comparable_runs, runs_of, shown_run
from reports.web.pages.people import person
from reports.web.pages.training.training_words import answers, epsilon_words, metric_text, number_text


@dataclass(frozen=True)
class Card:
    """A task on the list."""

    task: TrainingTask
    answer: str
    state: str
    # Of a badge.
    css: str
    facts: Sequence[tuple[str, str]]


@login_required
@require_safe
def all_tasks(request: HttpRequest) -> HttpResponse:
    tasks = training_tasks(person(request), "view").prefetch_related("versions")
    by_task: dict[int, list[RunFacts]] = defaultdict(list)
    for run in runs_of(tasks):
        by_task[run.run.version.task_id].append(run)
    context = {
        "cards": [_card(task, by_task[task.pk]) for task in tasks],
        "may_define": may_define(person(request)),
    }
    return render(request, "reports/training_tasks.html", context)


def _card(task: TrainingTask, runs: Sequence[RunFacts]) -> Card:
    shown, ledger = shown_run(runs), Ledger(runs)
    state, css = _state(runs)
    if shown is None:
        return Card(task, _("Nothing is trained yet."), state, css, [])
    sentences = answers(shown, comparable_runs(runs, shown), ledger)
    facts = [
        ("RMSE", f"{metric_text(shown.rmse)} ({epsilon_words(shown)})"),
        (_("ε spent"), number_text(ledger.epsilon)),
        (_("Runs"), str(len(runs))),
    ]
    return Card(task, " ".join(sentences[:2]), state, css, facts)


def _state(runs: Sequence[RunFacts]) -> tuple[str, str]:
    """The state of the newest run, and the style of its badge."""
    if not runs:
        return _("not trained"), ""
    newest = runs[0].run
    styles = {TrainingRun.State.FINISHED: "good", TrainingRun.State.FAILED: "bad"}
    return newest.state_in_words, styles.get(TrainingRun.State(newest.state), "busy")
