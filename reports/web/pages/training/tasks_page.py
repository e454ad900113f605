"""All training tasks that a person may see: how good each model is, and what it has cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reports.access import may_define, training_tasks
from reports.formatting import whole
from reports.models import TrainingRun, TrainingTask
from reports.training.ledgers import Ledger, ledgers
from reports.training.run_facts import RunFacts, best_without_noise, newest_runs, shown_runs
from reports.viewings import record_once_a_day
from reports.web.pages.people import person
from reports.web.pages.training.training_answers import headline
from reports.web.pages.training.training_words import epsilon_words, metric_text, number_text, share_text


@dataclass(frozen=True)
class Card:
    """A task on the list."""

    task: TrainingTask
    answer: str
    state: str
    # Class of a badge.
    css: str
    facts: Sequence[tuple[str, str]]


@require_safe
def all_tasks(request: HttpRequest) -> HttpResponse:
    seen = training_tasks(person(request), "view")
    shown, newest, spent, best = shown_runs(seen), newest_runs(seen), ledgers(seen), best_without_noise(seen)
    # They spend real people's ε, whatever was ordered since.
    real = {*TrainingRun.objects.unfinished().exclude(agreed={}).values_list("version__task", flat=True)}
    cards: list[Card] = []
    for task in seen.annotate(runs=Count("versions__runs")):
        state, css = (_("running, by real devices"), "busy") if task.pk in real else _state(newest.get(task.pk))
        run = shown.get(task.pk)
        if run is None:
            cards.append(Card(task, _("Nothing is trained yet."), state, css, []))
            continue
        facts = _facts(run, spent.get(task.pk, Ledger()), task.runs)
        # Exact figures of people who may be real are on the task's own page, beside the words on what they are.
        answer = headline(run, best.get(run.compared_with), exact=not run.has_exact_figures_of_people)
        cards.append(Card(task, answer, state, css, facts))
    record_once_a_day(person(request), [card.task for card in cards if card.facts], "page")
    return render(request, "reports/training_tasks.html", {"cards": cards, "may_define": may_define(person(request))})


def _facts(run: RunFacts, ledger: Ledger, runs: int) -> list[tuple[str, str]]:
    figures = [("RMSE", metric_text(run.rmse))] if run.rmse is not None else []
    if run.has_exact_figures_of_people:
        figures = []
    elif run.rmse is None and run.recall is not None:
        figures = [(_("Recall among 20"), share_text(run.recall, 1.96 * (run.recall_error or 0.0)))]
    return [
        *((name, f"{value} ({epsilon_words(run)})") for name, value in figures),
        (_("ε spent by real devices"), number_text(ledger.devices.epsilon)),
        (_("Runs"), whole(runs)),
    ]


def _state(newest: RunFacts | None) -> tuple[str, str]:
    """The state of the newest run, and the style of its badge."""
    if newest is None:
        return _("not trained"), ""
    styles = {TrainingRun.State.FINISHED: "good", TrainingRun.State.FAILED: "bad"}
    return newest.run.state_in_words, styles.get(TrainingRun.State(newest.run.state), "busy")
