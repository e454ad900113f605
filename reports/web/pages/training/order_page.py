"""Ordering runs of a training task, for those who own it."""

from datetime import timedelta
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from aggregation import training
from reports.access import training_tasks
from reports.formatting import percent, rounded, whole
from reports.models import TrainingRun, TrainingVersion, failures
from reports.training import order_device_run, order_training, parameters_of
from reports.training.ledgers import spent_by_devices
from reports.training.privacy_statement import messages_of
from reports.training.run_facts import forecast_at
from reports.training.training_orders import MOST_SEED
from reports.training.trusted_processes import trusted_processes
from reports.web.pages.people import person
from reports.web.pages.training.training_words import algorithm_name, number_text, release_name

MOST_ORDERED: Final = 10
# Where no run says what devices hold.
_CATALOGUE: Final = {"seed": 1, "films": 2000}
_MOST_PEOPLE: Final = 20_000
# Signal to noise below it is written as less than it, and not as zero.
_LEAST_SIGNAL: Final = 0.01
# Ratings of the invented catalogue.
_RATINGS: Final = (1.0, 5.0)


class OrderForm(forms.Form):
    """Runs that differ in their seeds."""

    noise = forms.ChoiceField(
        label=gettext_lazy("Noise"),
        choices=[
            ("private", gettext_lazy("with noise, at an ε")),
            (
                "none",
                gettext_lazy(
                    "without noise, to see what privacy costs; its figures are shown, its model is not handed out"
                ),
            ),
        ],
        widget=forms.RadioSelect,
        initial="private",
    )
    epsilon = forms.FloatField(
        label="ε",
        required=False,
        min_value=0,
        max_value=training.MAX_EPSILON,
        help_text=gettext_lazy("For all that one person gives in a whole run. Left empty: the task’s own."),
    )
    count = forms.IntegerField(
        label=gettext_lazy("Number of runs"),
        min_value=1,
        max_value=MOST_ORDERED,
        initial=1,
        help_text=gettext_lazy("With several, the page says how much of a difference is chance."),
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        required=False,
        min_value=0,
        max_value=MOST_SEED - MOST_ORDERED,
        help_text=gettext_lazy("Of the first run; the others have the next ones. Left empty: drawn."),
    )


class DevicesForm(forms.Form):
    """A run by devices that take part over the network."""

    hours = forms.FloatField(
        label=gettext_lazy("Hours of a round"),
        min_value=0.1,
        max_value=24 * 30,
        initial=24,
    )
    confirmed = forms.BooleanField(
        label=gettext_lazy("Real people spend this ε for good, whatever comes out."),
        error_messages={"required": gettext_lazy("Confirm that real people are to spend this ε.")},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def order(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask what to train, and order it."""
    found = get_object_or_404(training_tasks(person(request), "edit"), slug=slug)
    version = found.active_version()
    is_by_devices = "hours" in request.POST
    form = OrderForm(request.POST if request.method == "POST" and not is_by_devices else None)
    by_devices = DevicesForm(request.POST if is_by_devices else None)
    waiting = TrainingRun.objects.unfinished().filter(version__task=found).count()
    if version is not None and form.is_valid():
        if waiting + form.cleaned_data["count"] > MOST_ORDERED:
            form.add_error("count", _("At most %(most)s may wait at a time.") % {"most": whole(MOST_ORDERED)})
        elif _ordered(request, version, form):
            return _followed(request, slug, form.cleaned_data["count"])
    if version is not None and by_devices.is_valid() and _ordered_by_devices(request, version, by_devices):
        return _followed(request, slug, 1)
    context: dict[str, Any] = {
        "by_devices": by_devices,
        "task": found,
        "version": version,
        "form": form,
        "waiting": waiting,
    }
    if version is not None:
        catalogue = _catalogue(version)
        context |= {
            "algorithm": algorithm_name(version.parameters["algorithm"]),
            "epsilon": number_text(version.parameters["target_epsilon"]),
            "has_processes": trusted_processes() is not None,
            **_of_a_round(version),
            "spent": number_text(spent_by_devices(found)),
            "limit": None if found.epsilon_limit is None else number_text(found.epsilon_limit),
            "films": whole(catalogue["films"]),
            "people": whole(catalogue["people"]),
            "held_out": _held_out(version),
        }
    return render(request, "reports/order_training.html", context)


def _followed(request: HttpRequest, slug: str, count: int) -> HttpResponse:
    """Lead to the page of the task, and say there where runs are followed."""
    words = ngettext("Your run is ordered.", "Your %(count)s runs are ordered.", count) % {"count": whole(count)}
    page = reverse("training_task", args=[slug])
    link = format_html('{} <a href="{}#progress">{}</a>', words, page, _("See how far training is"))
    messages.success(request, link)
    return redirect("training_task", slug)


def _ordered_by_devices(request: HttpRequest, version: TrainingVersion, form: DevicesForm) -> bool:
    try:
        order_device_run(version, person(request), round_length=timedelta(hours=form.cleaned_data["hours"]))
    except training.InvalidTask as error:
        form.add_error(None, [failures.in_words(str(problem)) for problem in error.problems])
    except ValidationError as error:
        form.add_error(None, error.messages)
    return form.is_valid()


def _of_a_round(version: TrainingVersion) -> dict[str, Any]:
    """Describe a round of real devices: the messages it waits for, and its sums beside their noise."""
    task = parameters_of(version)
    messages = messages_of(task)
    found: dict[str, Any] = {"goal": whole(task.report_goal)}
    if messages is not None:
        found |= {name: whole(each) for name, each in messages.items()}
    forecast = forecast_at(version, task.report_goal)
    if forecast is None:
        return found
    expected, simulated = forecast.signal_to_noise, forecast.round.run
    return found | {
        "signals": ", ".join(f"{release_name(name)}: {signal_text(value)}" for name, value in expected.items()),
        "is_lost": min(expected.values()) < 1,
        "simulation": f"{reverse('training_task', args=[version.task.slug])}?run={simulated.pk}",
        "simulated_on": date_format(simulated.created_at, "SHORT_DATETIME_FORMAT"),
        "simulated_people": whole(forecast.round.figures["participants"]),
    }


def signal_text(value: float) -> str:
    return rounded(value, 2) if value >= _LEAST_SIGNAL else _("under %(least)s") % {"least": rounded(_LEAST_SIGNAL, 2)}


def _held_out(version: TrainingVersion) -> str:
    """The share of simulated people who evaluate: a simulation trains, whatever the task's mode."""
    mode = training.Mode(version.parameters["mode"])
    return "" if mode is training.Mode.TRAIN_ONLY else percent(training.HELD_OUT[training.Mode.TRAIN_AND_EVALUATE], 0)


def _catalogue(version: TrainingVersion) -> dict[str, Any]:
    """Return the invented catalogue of the newest run, so that runs can be compared, or a new one.

    The ratings of a file are forgotten when their run has ended.
    """
    runs = TrainingRun.objects.filter(version__task=version.task_id).exclude(catalogue={})
    known = runs.values_list("catalogue", flat=True).order_by("-created_at").first()
    return known or _CATALOGUE | {"people": min(version.parameters["population"], _MOST_PEOPLE)}


def _ordered(request: HttpRequest, version: TrainingVersion, form: OrderForm) -> bool:
    """Order what the form says; returns whether it could be. Else the form says why."""
    values = form.cleaned_data
    low, high = version.parameters["rating_range"]
    if not (low <= _RATINGS[0] and _RATINGS[1] <= high):
        words = _("Ratings of the invented catalogue are from 1 to 5, and those of this task from %(low)s to %(high)s.")
        form.add_error(None, words % {"low": number_text(low), "high": number_text(high)})
        return False
    is_private = values["noise"] == "private"
    first, catalogue = values["seed"], _catalogue(version)
    try:
        for number in range(values["count"]):
            order_training(
                version,
                catalogue=catalogue,
                target_epsilon=values["epsilon"] if is_private else None,
                non_private=not is_private,
                seed=None if first is None else first + number,
                user=person(request),
            )
    except training.InvalidTask as error:
        for problem in error.problems:
            form.add_error("epsilon" if problem.field == "target_epsilon" else None, failures.in_words(str(problem)))
        return False
    return True
