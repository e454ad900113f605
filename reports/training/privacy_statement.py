"""The privacy statement of a training task: what a run may tell of a person, who sees what, and what is not promised.

Its sections are said once, for the page in the reader's language and for the document in English.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import override

from aggregation import training
from aggregation.training.roles import LEAST_GOAL, MOST_TAKEN
from reports.models import TrainingRun, TrainingTask
from reports.training.documents import spent_document
from reports.training.run_facts import Ledger
from reports.training.training_orders import KEPT_FOR_RETRY
from reports.training.versions import parameters_of

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
# Fields of the document that their names do not explain.
EXPLAINED: Final = {
    "epsilon": "Bound of one whole run for one person who trains, rounded up.",
    "delta": (
        "P(outcome with the person) <= e^epsilon * P(outcome without) + delta for every set of outcomes, and the other"
        " way round: the probability mass for which the bound by e^epsilon may fail. At most 1/(10 * population), since"
        " showing the data of one person drawn at random would be within a delta of 1/population."
    ),
    "population": "People who may take part; those who evaluate are among them, and do not train.",
    "noise_multiplier": (
        "Standard deviation of the noise in each number of a sum, in units of the most that one person changes that sum"
        " by (Euclidean norm). By kind of release where there are several: the multiplier that, used in every round,"
        " costs what the rounds cost, though rounds may have different ones."
    ),
    "sampling_rate": "Chance of each person to take part in a round; null where no privacy is claimed from a draw.",
    "report_goal": "Contributions that are expected to count in a round; with fewer nothing is let out.",
    "items_per_user": "The most items of one person that a contribution is about.",
    "evaluation": "People who never train, and what letting out metrics costs them: a budget of their own.",
    "spent": "Of all runs together, which add up; of runs without noise nothing is bounded.",
}


class Section(NamedTuple):
    """A question to the statement, and its answer."""

    topic: str
    title: str
    text: str


Write = Callable[[float], str]


def privacy_document(task: TrainingTask, ledger: Ledger) -> dict[str, Any] | None:
    """The privacy statement of a task; None while no version of it is active."""
    version = task.active_version()
    if version is None or version.plan is None:
        return None
    parameters = parameters_of(version)
    document = {
        "task": task.slug,
        "title": task.title,
        "version": version.number,
        "guarantee": "(epsilon, delta)-differential privacy",
        "unit": UNIT,
        "neighbours": NEIGHBOURS,
        "epsilon": training.rounded_up(version.plan["epsilon"]),
        "delta": version.plan["delta"],
        "population": parameters.population,
        "algorithm": parameters.algorithm,
        "rounds": parameters.rounds,
        "sampling_rate": version.plan.get("sampling_rate"),
        "noise_multiplier": version.plan.get("noise_multiplier"),
        "inference": str(parameters.inference),
        "report_goal": parameters.report_goal,
        "items_per_user": parameters.items_per_user,
        "evaluation": evaluation_document(parameters),
        "spent": spent_document(ledger),
        "roles": [{"role": role, "sees": sees, "never_sees": never} for role, sees, never in ROLES],
        "isolation": "processes of their own on one machine, without a trusted execution environment",
        "devices": "real" if TrainingRun.objects.by_devices().filter(version__task=task).exists() else "simulated",
        "explained": EXPLAINED,
    }
    with override("en"):
        document["sections"] = [each._asdict() for each in sections(document, lambda value: f"{value:.10g}")]
    return document


def evaluation_document(task: training.TrainingTask) -> dict[str, Any] | None:
    """What evaluating costs people who never train; None of a task that only trains."""
    share = training.HELD_OUT[task.mode]
    if not share:
        return None
    return {
        "share_of_people": share,
        "metrics": [*task.metrics],
        "evaluations": training.Evaluations(task).count,
        # Noise is made for it: pages do no accounting.
        "epsilon": task.target_epsilon,
        "delta": task.delta,
    }


def sections(document: dict[str, Any], write: Write) -> list[Section]:
    """Answer what a statement is asked, with numbers as a reader writes them."""
    is_simulated = document["devices"] == "simulated"
    return [
        Section("code", _("Could another aggregator be put in its place?"), " ".join(_code(is_simulated))),
        Section("key", _("Who can open contributions?"), _key()),
        Section("group", _("How many people are in a sum?"), " ".join(_group(document, write, is_simulated))),
        Section("fakes", _("What if others cheat?"), _fakes(write)),
        Section("evaluation", _("Who says how good the model is?"), _evaluation(document["evaluation"], write)),
        Section("items", _("How much of you is used?"), _items(document["items_per_user"], write)),
        Section("retention", _("What is kept, and how long?"), " ".join(_retention(write, is_simulated))),
        Section("leaving", _("What if you leave?"), _leaving()),
    ]


def _code(is_simulated: bool) -> Iterator[str]:
    yield _(
        "Yes, by whoever has root on the aggregator’s machine, or its signing key: there is no trusted execution"
        " environment, so no hardware proves which program runs. The process measures its own code and signs that. Your"
        " device refuses any other code or key than those it was configured with, which stops everybody who cannot read"
        " the signing key."
    )
    if is_simulated:
        yield _("Where the site itself starts the processes, its administrators can read that key.")


def _key() -> str:
    return _(
        "The aggregator alone, and root on its machine while a round is open. It makes a key for each round, keeps it"
        " in memory only, and drops it when the round is let out. This site carries sealed messages and has no key to"
        " them."
    )


def _group(document: dict[str, Any], write: Write, is_simulated: bool) -> Iterator[str]:
    words = _(
        "A round is let out once so many messages have come that %(goal)s of them are expected to count. With fewer,"
        " nothing is let out: the round waits, or is lost. No aggregator takes a goal below %(least)s. How many really"
        " count it tells nobody."
    )
    yield words % {"goal": write(document["report_goal"]), "least": write(LEAST_GOAL)}
    if is_simulated:
        yield _("A simulation without the processes trains with as many as it has.")


def _fakes(write: Write) -> str:
    words = _(
        "Whoever runs the site, or invents devices, may send contributions of their own. Each is clipped like yours,"
        " and a round takes at most %(times)s times as many messages as it waits for: that far, fakes can spoil the"
        " model. If all others in a sum are fakes, noise alone hides you; ε and δ hold then, too. A device with a"
        " changed program can give away what it holds itself, and nobody else’s data."
    )
    return words % {"times": write(MOST_TAKEN)}


def _evaluation(evaluation: dict[str, Any] | None, write: Write) -> str:
    if evaluation is None:
        return _("Nobody: this task only trains, and no figure of its model is let out.")
    words = _(
        "%(share)s %% of devices, drawn by a secret of their own, never train. They add up metrics, which are let out"
        " with noise at most %(evaluations)s times in a run. That costs each of them ε = %(epsilon)s at the same δ, as"
        " training costs the others: nobody pays for both."
    )
    return words % {
        "share": write(100 * evaluation["share_of_people"]),
        "evaluations": write(evaluation["evaluations"]),
        "epsilon": write(evaluation["epsilon"]),
    }


def _items(most: int, write: Write) -> str:
    words = _(
        "At most %(most)s items in a round. If you have more, your device draws as many by chance. What they make is"
        " clipped, on your device and again by the aggregator."
    )
    return words % {"most": write(most)}


def _retention(write: Write, is_simulated: bool) -> Iterator[str]:
    yield _(
        "Requests and contributions are in the memory of the two processes alone, until they are answered or added up;"
        " one-time tokens against doubles, which tell nothing of you, at most until the last round. Of a round, the"
        " site keeps how many messages came or were refused, and the model that its noisy sums have made. Models, their"
        " figures and what was spent are kept for good."
    )
    if is_simulated:
        words = _(
            "Ratings of a file, which simulated devices hold, are deleted when their run ends; if it fails, some"
            " %(hours)s hours later."
        )
        yield words % {"hours": write(KEPT_FOR_RETRY.total_seconds() / 3600)}


def _leaving() -> str:
    return _(
        "Your device sends nothing any more. What it gave before cannot be taken back: nothing tells your part of a"
        " sum, and models that were trained with it stay. ε and δ go on bounding what they tell of you; what is spent"
        " stays spent."
    )
