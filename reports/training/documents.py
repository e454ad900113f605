"""Documents of training: of a task's runs, and of what one let out."""

from typing import Any, Final

from aggregation.training import rounded_up
from reports.models import TrainingRound, TrainingRun, TrainingTask
from reports.training.ledgers import Ledger, Spent, ledger_of
from reports.training.run_facts import RunFacts, runs_of

# State of a failed run that was cancelled, in documents.
CANCELLED: Final = "cancelled"
# The database keeps names in an order of its own.
_DOCUMENT: Final = (
    *("rmse", "recall_at_20", "baselines", "epsilon", "delta", "rounds", "released", "seconds"),
    *("recall_at_20_standard_error", "recall_baselines", "people"),
)


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
        "state": CANCELLED if of.is_cancelled else of.state,
        "simulated_devices": not of.by_devices,
        "source_of_data": str(of.source_of_data),
        "sealed": of.sealed,
        "private": run.target is not None,
        "target_epsilon": run.target,
        "split": of.split,
        "seed": of.seed,
        "parameters": run.parameters,
        "rmse": run.rmse,
        "rmse_standard_error": run.rmse_error,
        "recall_at_20": run.recall,
        "recall_at_20_standard_error": run.recall_error,
        "released_metrics": run.metrics,
        "baselines": of.baselines,
        "recall_baselines": of.recall_baselines,
        "people": run.people,
        "epsilon": rounded_up(run.spent) if run.has_spent else None,
        "unamplified_epsilon": run.unamplified_epsilon if run.has_spent else None,
        "delta": run.parameters["delta"] if run.has_spent else None,
        "seconds": took,
    }


def spent_document(ledger: Ledger) -> dict[str, Any]:
    """Return the budget spent, of real devices and in simulations apart."""
    return {str(source): _spent(spent) for source, spent in ledger.by_source()}


def _spent(spent: Spent) -> dict[str, Any]:
    return {
        "epsilon": rounded_up(spent.epsilon),
        # A sum of powers of ten, without what adding them in binary leaves behind.
        "delta": float(f"{spent.delta:.10g}"),
        "runs": spent.runs,
        "runs_without_noise": spent.without_noise,
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
