"""The card of a run's model: what a person who is handed the model has to know of it, as Markdown."""

from typing import Any, Final

from django.urls import reverse
from django.utils.translation import override

from aggregation import training
from reports.models import TrainingRun
from reports.training.privacy_statement import NEIGHBOURS, UNIT, evaluation_document, known_draw
from reports.training.run_facts import RunFacts
from reports.training.training_arrays import model_of
from reports.training.versions import parameters_of

_BASELINES: Final = {"mean": "one mean", "popularity": "popularity alone", "public_features": "public features alone"}


def model_card(run: RunFacts) -> str:
    parameters, task = run.parameters, run.run.version.task
    arrays = "".join(
        f"- `{name}`: {array.dtype}, {' × '.join(map(str, array.shape))}\n"
        for name, array in sorted(model_of(run.run).items())
    )
    return f"""# {task.title}

Task `{task.slug}`, version {run.run.version.number}, run `{run.run.pk}`.
{task.description}

## Privacy

{_guarantee(run)}
All runs of this task over the same people add up; the task's ledger has their sum, of real people and in simulations
apart.
{_devices(run.run)}
The processes that see single contributions are isolated by the operating system, not by hardware: who sees what, and
who could, is in the statement of this version ({_statement(run.run)}).

## Model

- kind: {parameters["model"]["kind"]}, dimension {parameters["model"]["dimension"]}
- algorithm: {parameters["algorithm"]}, {parameters["rounds"]} rounds
- people in the population: {parameters["population"]}{_people(run)}
- at most {parameters["items_per_user"]} items of a person
- ratings from {parameters["rating_range"][0]} to {parameters["rating_range"][1]}
- people's own vectors are not in it: each device solves for its own, and keeps it
- of people, its arrays hold only what was made of the sums that were let out{_with_noise(run)}; `features` are public

{arrays}- `item_names`: names of the items, in the order of the rows

## Figures

{_figures(run)}
{_released(run)}
## Limits

It ranks what its population rated. What few people rated is close to the mean, because noise is larger than what is
known of it. It says nothing of people who are unlike those who took part.
"""


def _guarantee(run: RunFacts) -> str:
    if run.target is None:
        return "None. No noise was added: this model is for comparison, of simulated devices alone. Do not publish it."
    delta = run.parameters["delta"]
    return _drawn(run) + (
        f"(ε, δ)-differential privacy with ε = {_epsilon(run.spent)}, δ = {delta:g}. The unit is {UNIT}:"
        f" {NEIGHBOURS} changes the probability of any set of outcomes by a factor of at most e^ε, plus δ."
    )


def _drawn(run: RunFacts) -> str:
    """Whom ε holds against, where it counts on a draw of people."""
    if run.algorithm not in training.SAMPLED:
        return ""
    with override("en"):
        known = known_draw(run.unamplified_epsilon, _epsilon)
    return (
        f"The ε below holds against those who do not know who was drawn in which round. {known} Each person is drawn"
        f" with a chance of {run.parameters['sampling_rate']:g}, in secret: devices know it of themselves, and the"
        " aggregator of each contribution.\n\n"
    )


def _statement(run: TrainingRun) -> str:
    return f"{reverse('training_privacy', args=[run.version.task.slug])}?version={run.version.number}"


def _epsilon(value: float) -> str:
    """ε as documents have it, without zeros at its end."""
    return f"{training.rounded_up(value):.6f}".rstrip("0").rstrip(".")


def _devices(run: TrainingRun) -> str:
    if run.by_devices:
        return (
            "Real devices took part; what they hold left them only as sealed contributions, which the aggregator alone"
            " opened, and added up."
        )
    people = "invented people" if run.catalogue else "the ratings of a file, whose people may be real"
    path = "each through the processes of all roles" if run.sealed else "all at once, as one program of matrices"
    return f"Devices were simulated, with {people}: {path}. Who trained it had all ratings.{_uncovered(run)}"


def _uncovered(run: TrainingRun) -> str:
    """Say what ε leaves out, if people may be real."""
    if run.source_of_data != TrainingRun.Source.FILE:
        return ""
    return "\nThe exact figures are of people who may be real; ε does not cover them. Do not publish them."


def _with_noise(run: RunFacts) -> str:
    return "" if run.target is None else " with noise"


def _people(run: RunFacts) -> str:
    if run.people is None:
        return ""
    return f"; {run.people['trained']} of {run.people['all']} with ratings trained, {run.people['evaluated']} evaluated"


def _figures(run: RunFacts) -> str:
    """Exact figures, of those there are, with what needs no training beside them."""
    if run.run.by_devices:
        return "Exact figures would need data that stay on devices.\n"
    rows = [
        ("RMSE", run.rmse, run.rmse_error, "rmse"),
        ("recall among 20", run.recall, run.recall_error, "recall_at_20"),
    ]
    lines = "".join(
        f"| {name} | {value:.4g} | {_half_width(error)} | {_beside(run, metric)} |\n"
        for name, value, error, metric in rows
        if value is not None
    )
    return (
        f"Of data that were held out ({run.run.split}); exact, because devices are simulated. Intervals are of the"
        f" people who are tested, and nothing of the noise is in them.{_uncovered(run.run)}\n\n"
        f"| what | value | half of the 95 % interval | without training |\n|---|---|---|---|\n{lines}"
    )


def _half_width(error: float | None) -> str:
    return "–" if error is None else f"{1.96 * error:.2g}"


def _beside(run: RunFacts, metric: str) -> str:
    found = {words: run.baseline(name, metric) for name, words in _BASELINES.items()}
    if metric == "recall_at_20":
        found = {"any order": found.pop(_BASELINES["mean"]), **found}
    return ", ".join(f"{words} {value:.4g}" for words, value in found.items() if value is not None) or "–"


def _released(run: RunFacts) -> str:
    """Metrics that left the boundary, which are no exact figures, and what they may cost."""
    metrics: dict[str, Any] | None = run.metrics
    evaluation = evaluation_document(parameters_of(run.run.version, target_epsilon=run.run.target_epsilon))
    if evaluation is None:
        return "No device evaluates: the task only trains, and no metric was released.\n"
    if metrics is None:
        return "" if run.target is None else "No metric of people who never train was released.\n"
    lines = "".join(
        f"| {name} | {value:.4g} | {metrics['standard_errors'][name]:.2g} |\n"
        for name, value in metrics["values"].items()
    )
    return (
        "Of people who never train, released with noise, at a cost of their own (ε ="
        f" {_epsilon(metrics['epsilon'])}, δ = {evaluation['delta']:g}):\n\n"
        f"| what | value | standard error of the noise |\n|---|---|---|\n{lines}"
    )
