"""Documents of training: of a task's runs, of what one let out, its privacy statement, and the card of its model."""

from collections.abc import Sequence
from typing import Any, Final

from reports.models import TrainingRun, TrainingTask
from reports.training.run_facts import Ledger, RunFacts

UNIT: Final = "all data of one person, over a whole training run of this task"
NEIGHBOURS: Final = "adding or removing all data of one person"
# Who sees what, as the statement and its page have it: role, sees, never sees.
ROLES: Final = (
    ("device", "its own examples and its own local parameters", "those of others"),
    ("distributor", "which rows a device asks for, in memory, while it answers", "data of devices"),
    ("aggregator", "single contributions, in memory only, until they are added up", "local parameters"),
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
    return {
        "run": str(run.run.pk),
        "version": run.run.version.number,
        "state": run.run.state,
        "simulated_devices": True,
        "sealed": run.run.sealed,
        "private": run.target is not None,
        "target_epsilon": run.target,
        "split": run.run.split,
        "seed": run.run.seed,
        "parameters": run.parameters,
        **{
            name: run.document.get(name)
            for name in ("rmse", "recall_at_20", "baselines", "epsilon", "delta", "seconds")
        },
    }


def runs_document(task: TrainingTask, runs: Sequence[RunFacts]) -> dict[str, Any]:
    ledger = Ledger(runs)
    return {
        "task": task.slug,
        "title": task.title,
        "spent": {"epsilon": ledger.epsilon, "delta": ledger.delta},
        "runs": [run_document(run) for run in runs],
    }


def rounds_document(run: RunFacts) -> dict[str, Any]:
    rounds = [{"round": each.number, "epsilon": each.epsilon, **each.figures} for each in run.rounds]
    return {"task": run.run.version.task.slug, **run_document(run), "rounds": rounds}


def released(run: TrainingRun) -> list[dict[str, Any]]:
    """Return all that a run has let out, in its order."""
    return [each for releases in run.rounds.order_by("number").values_list("releases", flat=True) for each in releases]


def releases_document(run: RunFacts) -> dict[str, Any]:
    return {"task": run.run.version.task.slug, **run_document(run), "releases": released(run.run)}


def privacy_document(task: TrainingTask, runs: Sequence[RunFacts]) -> dict[str, Any] | None:
    """The privacy statement of a task; None while no version of it is active."""
    version = task.active_version()
    if version is None or version.plan is None:
        return None
    parameters, ledger = version.parameters, Ledger(runs)
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
        "spent": {
            "epsilon": ledger.epsilon,
            "delta": ledger.delta,
            "runs": len(ledger.spenders),
            "runs_without_noise": len(ledger.without_noise),
        },
        "roles": [{"role": role, "sees": sees, "never_sees": never} for role, sees, never in ROLES],
        "isolation": "processes of their own on one machine, without a trusted execution environment",
        "devices": "simulated",
    }


def model_card(run: RunFacts) -> str:
    """What a person who is handed the model has to know of it, as Markdown."""
    parameters, document, task = run.parameters, run.document, run.run.version.task
    private = run.target is not None
    guarantee = (
        f"(ε, δ)-differential privacy with ε = {run.spent:.4g}, δ = {parameters['delta']:.1g}. The unit is {UNIT}:"
        f" {NEIGHBOURS} changes no output's probability by more than a factor of e^ε, up to δ."
        if private
        else "None. No noise was added: this model is for comparison, of simulated devices alone. Do not publish it."
    )
    baselines = "".join(f"| {name} | {value} |\n" for name, value in document.get("baselines", {}).items())
    arrays = "".join(f"- `{file.name}`: float32, {' × '.join(map(str, file.shape))}\n" for file in model_files(run.run))
    return f"""# {task.title}

Task `{task.slug}`, version {run.run.version.number}, run `{run.run.pk}`.
{task.description}

## Privacy

{guarantee}
All runs of this task over the same people add up; the task's ledger has their sum.
Devices were simulated, with {"the processes of all roles" if run.run.sealed else "a vectorised equivalent"}.

## Model

- kind: {parameters["model"]["kind"]}, dimension {parameters["model"]["dimension"]}
- algorithm: {parameters["algorithm"]}, {parameters["rounds"]} rounds
- people in the population: {parameters["population"]}
- ratings from {parameters["rating_range"][0]} to {parameters["rating_range"][1]}
- people's own vectors are not in it: each device solves for its own, and keeps it

{arrays}- `item_names`: names of the items, in the order of the rows

## Figures

Of data that were held out ({run.run.split}); exact, because devices are simulated.

| what | value |
|---|---|
| RMSE | {document.get("rmse")} |
| recall among 20 | {document.get("recall_at_20")} |
{baselines}
## Limits

It ranks what its population rated. What few people rated is close to the mean, because noise is larger than what is
known of it. It says nothing of people who are unlike those who took part.
"""


def model_files(run: TrainingRun) -> Any:
    return run.files.filter(kind="model").order_by("name")
