"""Documents of training: of a task's runs, of what one let out, its privacy statement, and the card of its model."""

from typing import Any, Final

from reports.models import TrainingRound, TrainingRun, TrainingTask
from reports.training.run_facts import Ledger, RunFacts, ledger_of, runs_of

UNIT: Final = "all data of one person, over a whole training run of this task"
NEIGHBOURS: Final = "adding or removing all data of one person"
# Who sees what, as the statement and its page have it: role, sees, never sees.
ROLES: Final = (
    ("device", "its own examples and its own local parameters", "those of others"),
    (
        "distributor",
        "which rows a device asks for, in memory, while it answers: the items that its person rated",
        "how they were rated",
    ),
    (
        "aggregator",
        "single contributions, in memory only, until they are added up",
        "local parameters as such; but a contribution tells most of them",
    ),
    ("server", "sealed contributions, and sums that were let out with noise", "anything that was not let out"),
    ("everybody else", "published parameters and figures", "everything else"),
)


# The database keeps names in an order of its own.
_DOCUMENT: Final = ("rmse", "recall_at_20", "baselines", "epsilon", "delta", "rounds", "released", "seconds")


def document_of(run: TrainingRun) -> dict[str, Any]:
    """Return what a finished run found, as `train` prints it."""
    document: dict[str, Any] = run.document or {}
    return {name: document[name] for name in _DOCUMENT if name in document}


def run_document(run: RunFacts) -> dict[str, Any]:
    """A run with its parameters and figures."""
    of = run.run
    took = (of.finished_at - of.started_at).total_seconds() if of.started_at and of.finished_at else None
    return {
        "run": str(of.pk),
        "version": of.version.number,
        "state": of.state,
        "simulated_devices": not of.by_devices,
        "sealed": of.sealed,
        "private": run.target is not None,
        "target_epsilon": run.target,
        "split": of.split,
        "seed": of.seed,
        "parameters": run.parameters,
        "rmse": run.rmse,
        "rmse_standard_error": run.rmse_error,
        "recall_at_20": run.recall,
        "released_metrics": run.metrics,
        "baselines": of.baselines,
        "epsilon": run.spent if run.has_spent else None,
        "delta": run.parameters["delta"] if run.has_spent else None,
        "seconds": took,
    }


def spent_document(ledger: Ledger) -> dict[str, Any]:
    return {
        "epsilon": ledger.epsilon,
        "delta": ledger.delta,
        "runs": ledger.spenders,
        "runs_without_noise": ledger.without_noise,
    }


def runs_document(task: TrainingTask) -> dict[str, Any]:
    runs = runs_of([task]).iterator(chunk_size=200)
    return {
        "task": task.slug,
        "title": task.title,
        "spent": spent_document(ledger_of(task)),
        "runs": [run_document(RunFacts(run)) for run in runs],
    }


def rounds_document(run: RunFacts) -> dict[str, Any]:
    return {
        "task": run.run.version.task.slug,
        **run_document(run),
        "rounds": [_round_document(each, is_private=run.target is not None) for each in run.rounds],
    }


def _round_document(each: TrainingRound, *, is_private: bool) -> dict[str, Any]:
    figures = dict(each.figures)
    metrics = figures.pop("metrics", None)
    found: dict[str, Any] = {"round": each.number, "epsilon": each.epsilon, **figures}
    if metrics is not None and is_private:
        for name, value in metrics["values"].items():
            found |= {f"released_{name}": value, f"released_{name}_error": metrics["standard_errors"][name]}
        found["released_epsilon"] = metrics["epsilon"]
    return found


def released(run: TrainingRun) -> list[dict[str, Any]]:
    """Return all that a run has let out, in its order."""
    return [each for releases in run.rounds.order_by("number").values_list("releases", flat=True) for each in releases]


def releases_document(run: RunFacts) -> dict[str, Any]:
    return {"task": run.run.version.task.slug, **run_document(run), "releases": released(run.run)}


def privacy_document(task: TrainingTask, ledger: Ledger) -> dict[str, Any] | None:
    """The privacy statement of a task; None while no version of it is active."""
    version = task.active_version()
    if version is None or version.plan is None:
        return None
    parameters = version.parameters
    return {
        "task": task.slug,
        "title": task.title,
        "version": version.number,
        "guarantee": "(epsilon, delta)-differential privacy",
        "unit": UNIT,
        "neighbours": NEIGHBOURS,
        "epsilon": version.plan["epsilon"],
        "delta": version.plan["delta"],
        "population": parameters["population"],
        "algorithm": parameters["algorithm"],
        "rounds": parameters["rounds"],
        "sampling_rate": parameters.get("sampling_rate"),
        "noise_multiplier": version.plan.get("noise_multiplier"),
        "inference": parameters.get("inference"),
        "spent": spent_document(ledger),
        "roles": [{"role": role, "sees": sees, "never_sees": never} for role, sees, never in ROLES],
        "isolation": "processes of their own on one machine, without a trusted execution environment",
        "devices": "real" if TrainingRun.objects.by_devices().filter(version__task=task).exists() else "simulated",
    }


def model_card(run: RunFacts) -> str:
    """What a person who is handed the model has to know of it, as Markdown."""
    parameters, task = run.parameters, run.run.version.task
    private = run.target is not None
    guarantee = (
        f"(ε, δ)-differential privacy with ε = {run.spent:.4g}, δ = {parameters['delta']:.1g}. The unit is {UNIT}:"
        f" {NEIGHBOURS} changes no output's probability by more than a factor of e^ε, up to δ."
        if private
        else "None. No noise was added: this model is for comparison, of simulated devices alone. Do not publish it."
    )
    baselines = "".join(f"| {name} | {value} |\n" for name, value in (run.run.baselines or {}).items())
    arrays = "".join(f"- `{file.name}`: float32, {' × '.join(map(str, file.shape))}\n" for file in model_files(run.run))
    return f"""# {task.title}

Task `{task.slug}`, version {run.run.version.number}, run `{run.run.pk}`.
{task.description}

## Privacy

{guarantee}
All runs of this task over the same people add up; the task's ledger has their sum.
{_devices_in_card(run.run)}

## Model

- kind: {parameters["model"]["kind"]}, dimension {parameters["model"]["dimension"]}
- algorithm: {parameters["algorithm"]}, {parameters["rounds"]} rounds
- people in the population: {parameters["population"]}
- ratings from {parameters["rating_range"][0]} to {parameters["rating_range"][1]}
- people's own vectors are not in it: each device solves for its own, and keeps it

{arrays}- `item_names`: names of the items, in the order of the rows

## Figures

{_figures_in_card(run.run)}

| what | value |
|---|---|
| RMSE | {run.rmse} |
| recall among 20 | {run.recall} |
{baselines}
{_released_in_card(run.metrics)}
## Limits

It ranks what its population rated. What few people rated is close to the mean, because noise is larger than what is
known of it. It says nothing of people who are unlike those who took part.
"""


def _devices_in_card(run: TrainingRun) -> str:
    if run.by_devices:
        return "Real devices took part, with the processes of all roles; what they hold never left them."
    return f"Devices were simulated, with {'the processes of all roles' if run.sealed else 'a vectorised equivalent'}."


def _figures_in_card(run: TrainingRun) -> str:
    if run.by_devices:
        return "Exact figures would need data that stay on devices."
    return f"Of data that were held out ({run.split}); exact, because devices are simulated."


def _released_in_card(metrics: dict[str, Any] | None) -> str:
    """Metrics that left the boundary, which are no exact figures."""
    if metrics is None:
        return ""
    lines = "".join(
        f"| {name} | {value:.4g} | {metrics['standard_errors'][name]:.2g} |\n"
        for name, value in metrics["values"].items()
    )
    return (
        "Of people who never train, released with noise, at a cost of their own"
        f" (ε = {metrics['epsilon']:.4g}):\n\n| what | value | standard error of the noise |\n|---|---|---|\n{lines}"
    )


def model_files(run: TrainingRun) -> Any:
    return run.files.filter(kind="model").order_by("name")
