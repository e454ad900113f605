"""The privacy statement of a training task: what a run may tell of a person, who sees what, and what is not promised.

Its sections are said once, for the page in the reader's language and for the document in English.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from aggregation import training
from aggregation.training.roles import LEAST_GOAL, MOST_TAKEN, Catalogue, awaited_messages, goal_messages, work_for
from reports.models import TrainingRun, TrainingTask
from reports.training.documents import spent_document
from reports.training.ledgers import Ledger
from reports.training.training_orders import KEPT_FOR_RETRY
from reports.training.trusted_processes import Start, started
from reports.training.versions import parameters_of

UNIT: Final = "all data of one person, over a whole training run of this task"
_GUARANTEE: Final = "(epsilon, delta)-differential privacy"
_DRAWN: Final = "whatever else is known but for who was drawn in which round"
NEIGHBOURS: Final = "adding or removing all data of one person"
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
    "unamplified_epsilon": (
        "Bound against those who know who was drawn in which round, which epsilon assumes to be secret; see the"
        " section draw. Null where no privacy is claimed from a draw, or where the plan was made before it was kept."
    ),
    "guarantee": "What epsilon and delta bound, and against whom.",
    "sampling_rate": "Chance of each person to take part in a round; null where no privacy is claimed from a draw.",
    "report_goal": "Contributions that are expected to count in a round; with fewer nothing is let out.",
    "items_per_user": "The most items of one person that a contribution is about.",
    "evaluation": "People who never train, and what letting out metrics costs them: a budget of their own.",
    "spent": (
        "Of all runs of the task by whose data they are of, in each of which runs add up; of runs without noise nothing"
        " is bounded. People of a file may be real; invented ones are not."
    ),
    "messages": "How many a round waits for, and how many are enough when its time is over; null if no device trains.",
    "devices": "Whose rounds have been let out so far: simulated (also if none has), real, or both.",
    "under_way": "Whether a run by real devices is under way; an open round counts as spent once it is let out.",
    "processes": (
        "Who starts distributor and aggregator: none (there are none), site (the site itself), apart (on its machine)"
        " or elsewhere (at an address of their own)."
    ),
}


class Role(NamedTuple):
    """A party, and what it sees of a person."""

    role: str
    name: str
    sees: str
    never_sees: str


class Section(NamedTuple):
    """A question to the statement, and its answer."""

    topic: str
    title: str
    text: str


Write = Callable[[float], str]


def privacy_document(task: TrainingTask, ledger: Ledger, number: int | None = None) -> dict[str, Any] | None:
    """The privacy statement of a task's version that is or was active; None if there is no such version."""
    version = task.active_version() if number is None else task.versions.filter(number=number).first()
    if version is None or version.plan is None:
        return None
    parameters = parameters_of(version)
    document = {
        "task": task.slug,
        "title": task.title,
        "version": version.number,
        "stated_on": timezone.now().date().isoformat(),
        "guarantee": _GUARANTEE if version.plan.get("sampling_rate") is None else f"{_GUARANTEE}, {_DRAWN}",
        "unit": UNIT,
        "neighbours": NEIGHBOURS,
        "epsilon": training.rounded_up(version.plan["epsilon"]),
        "delta": version.plan["delta"],
        "unamplified_epsilon": version.plan.get("unamplified_epsilon"),
        "population": parameters.population,
        "model": parameters.model.kind,
        "algorithm": parameters.algorithm,
        "rounds": parameters.rounds,
        "sampling_rate": version.plan.get("sampling_rate"),
        "noise_multiplier": version.plan.get("noise_multiplier"),
        "inference": str(parameters.inference),
        "report_goal": parameters.report_goal,
        "messages": messages_of(parameters),
        "items_per_user": parameters.items_per_user,
        "evaluation": evaluation_document(parameters),
        "spent": spent_document(ledger),
        "isolation": "processes of their own, without a trusted execution environment",
        "processes": str(started()),
        "devices": _devices(ledger),
        "under_way": TrainingRun.objects.unfinished().by_devices().filter(version__task=task).exists(),
        "explained": EXPLAINED,
    }
    with override("en"):
        document["roles"] = [each._asdict() for each in roles(document)]
        document["sections"] = [each._asdict() for each in sections(document, lambda value: f"{value:.10g}")]
    return document


def _devices(ledger: Ledger) -> str:
    is_simulated = ledger.file.has_begun or ledger.invented.has_begun
    if ledger.devices.has_begun:
        return "both" if is_simulated else "real"
    return "simulated"


def messages_of(task: training.TrainingTask) -> dict[str, int] | None:
    """Return numbers of messages: awaited by a round, and enough for it, whatever its items and features are."""
    work = work_for(task.to_mapping(), Catalogue(1, 1), "train")
    awaited, least = awaited_messages(work), goal_messages(work)
    return {"awaited": int(awaited), "least": int(least)} if math.isfinite(awaited) else None


def evaluation_document(task: training.TrainingTask) -> dict[str, Any] | None:
    """The cost of an evaluation to people who never train; None for a task that only trains."""
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


def roles(document: dict[str, Any]) -> list[Role]:
    """Say who sees what of a person."""
    own, single = (
        _("what you did"),
        _("one vector that your ratings and the public features of their items make together"),
    )
    if document["model"] == "factored":
        own = _("what you did, and your own vector")
        single = _(
            "which items you rated, how you rated them but for your own mean, and which way your vector points, though"
            " not how long it is"
        )
    seen = _("%(single)s: without noise, in memory only, until it is added up") % {"single": single}
    asked = _("which rows of the model a device asks for, in memory, while it answers: the items that you rated")
    carried = _("sealed contributions, and sums that were let out with noise")
    hidden = _(
        "anything that was not let out, unless its administrators replace the aggregator (everything that it sees) or"
        " the distributor (which items you rated), see below"
    )
    return [
        Role("device", _("Your device"), own, _("anything of others")),
        Role("distributor", _("The distributor, a process of its own"), asked, _("how you rated them")),
        Role("aggregator", _("The aggregator, a process of its own"), seen, _("what else is on your device")),
        Role("server", _("This site, its database and its administrators"), carried, hidden),
        Role("everybody else", _("Everybody else"), _("the published model and its figures"), _("everything else")),
    ]


def sections(document: dict[str, Any], write: Write) -> list[Section]:
    """Answer what a statement is asked, with numbers as a reader writes them."""
    code = _("Could another aggregator or distributor be put in its place?")
    return [
        Section("code", code, " ".join(_code(document["processes"]))),
        Section("key", _("Who can open contributions?"), _key()),
        Section("addresses", _("Who sees your network address?"), _addresses()),
        Section("configuration", _("Who configures your device?"), _configuration()),
        *_draw(document, write),
        Section("noise", _("Who draws the noise?"), " ".join(_noise())),
        *_exact(document["spent"][TrainingRun.Source.FILE]),
        Section("group", _("How many people are in a sum?"), " ".join(_group(document, write))),
        Section("fakes", _("What if others cheat?"), _fakes(write)),
        Section("evaluation", _("Who says how good the model is?"), _evaluation(document["evaluation"], write)),
        Section("items", _("How much of you is used?"), _items(document["items_per_user"], write)),
        Section("retention", _("What is kept, and how long?"), " ".join(_retention(write))),
        Section("leaving", _("What if you leave?"), _leaving()),
    ]


def _code(processes: str) -> Iterator[str]:
    yield _(
        "Yes, either, by people who have root on its machine, or its signing key: there is no trusted execution"
        " environment, so no hardware proves which program runs. A program in the aggregator’s place sees everything"
        " that it sees; one in the distributor’s place, which items each request asks for. Each process measures its"
        " own code and signs that. Your device refuses any other code or key than those it was configured with, which"
        " stops everybody who cannot read the signing key."
    )
    yield {
        Start.NONE: _("This site knows no such process now, so that no real device takes part."),
        Start.SITE: _(
            "Here the site starts both processes itself: its administrators can read their keys, and so replace either."
        ),
        Start.APART: _(
            "Here the site did not start the processes, which answer on the same machine: root on it can read their"
            " keys, and the site’s administrators can, too, unless the processes have users of their own."
        ),
        Start.ELSEWHERE: _(
            "Here the processes answer at addresses of their own: root on the machine where one runs can read its key,"
            " and the site’s administrators can if they run that machine."
        ),
    }[Start(processes)]


def _key() -> str:
    return _(
        "The aggregator alone, root on its machine while a round is open, and a program in its place. It makes a key"
        " for each round, keeps it in memory only, and drops it when the round is let out. This site carries sealed"
        " messages and has no key to them."
    )


def _addresses() -> str:
    return _(
        "The web server of this site, while it answers, and those who run the network before it: they see which devices"
        " ask and send in a round, and when, but not what. The site neither stores nor logs addresses. The distributor"
        " and the aggregator get messages from the site, without them."
    )


def _configuration() -> str:
    return _(
        "Those who gave you the program. Its configuration names the task with all its parameters, and the code and"
        " keys of both processes that your device accepts. It has to come by another way than this site: then neither"
        " the site nor its administrators can change what your device takes part in."
    )


def _draw(document: dict[str, Any], write: Write) -> Iterator[Section]:
    if document["sampling_rate"] is None:
        return
    words = _(
        "Each device draws itself, with a chance of %(share)s %% in a round. If it was not drawn, it asks and sends as"
        " much all the same, of invented data. Your device knows whether it was drawn. The aggregator sees whether a"
        " contribution counts, in memory only; so do root on its machine while a round is open, and a program in its"
        " place. The distributor is not told, but sees which items a request asks for, and may guess it. In a"
        " simulation, this site draws, of a secret of its own."
    )
    said = [
        _("ε assumes that who was drawn in which round is secret."),
        known_draw(document["unamplified_epsilon"], write),
        words % {"share": write(100 * document["sampling_rate"])},
    ]
    yield Section("draw", _("Who knows who was drawn?"), " ".join(said))


def known_draw(epsilon: float | None, write: Write) -> str:
    """Say what is left of ε against those who know who was drawn in which round."""
    if epsilon is None:
        return _("Against those who know that, ε is much larger.")
    return _("Against those who know that, ε is %(epsilon)s.") % {"epsilon": write(epsilon)}


def _exact(of_file: dict[str, Any]) -> Iterator[Section]:
    if of_file["runs"] or of_file["runs_without_noise"]:
        words = _(
            "Exact figures of simulations with the ratings of a file: errors, shares and counts, on the page of the"
            " task, in its files and on model cards, for those who may see the task. They are of people who may be"
            " real; ε does not cover them."
        )
        yield Section("exact", _("What has no noise?"), words)


def _noise() -> Iterator[str]:
    yield _(
        "The aggregator. Your contribution has no noise of its own: noise is added once, to the sum of all, and is"
        " drawn afresh from the aggregator’s operating system, of no seed that is kept. The statement that the"
        " aggregator signs names the standard deviation σ of the noise in each sum. Your device checks that"
        " statement’s signature, code and parameters, from which σ follows; it does not work out σ itself."
    )
    yield _(
        "In a simulation without the processes, noise comes from a secret of this site together with the run’s seed,"
        " task, parameters and data."
    )


def _group(document: dict[str, Any], write: Write) -> Iterator[str]:
    messages = document["messages"]
    if messages is not None:
        words = _(
            "A round is let out once %(awaited)s messages have come, or, when its time is over, %(least)s, of which"
            " %(goal)s are expected to count."
        )
        yield words % {**{name: write(each) for name, each in messages.items()}, "goal": write(document["report_goal"])}
    words = _(
        "With fewer, nothing is let out: the round waits, or is lost. No aggregator takes a goal below %(least)s. It"
        " never tells how many really count."
    )
    yield words % {"least": write(LEAST_GOAL)}
    yield _("A simulation without the processes trains with as many as it has.")


def _fakes(write: Write) -> str:
    words = _(
        "The people who run the site, or others who invent devices, may send contributions of their own. Each is"
        " clipped like yours, and a round takes at most %(times)s times as many messages as it waits for: that far,"
        " fakes can spoil the model. If all others in a sum are fakes, noise alone hides you; ε and δ hold then, too. A"
        " device with a changed program can give away what it holds itself, and nobody else’s data."
    )
    return words % {"times": write(MOST_TAKEN)}


def _evaluation(evaluation: dict[str, Any] | None, write: Write) -> str:
    if evaluation is None:
        return _("Nobody: this task only trains, and no figure of its model is let out.")
    words = _(
        "%(share)s %% of devices, drawn by a secret of their own, never train. Each tells the aggregator its metrics,"
        " which are added up and let out with noise at most %(evaluations)s times in a run. That costs each of them"
        " ε = %(epsilon)s at the same δ, as training costs the others: nobody pays for both."
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


def _retention(write: Write) -> Iterator[str]:
    yield _(
        "Requests and contributions are in the memory of the two processes alone, until they are answered or added up;"
        " one-time tokens against doubles, which tell nothing of you, at most until the last round. Of a round, the"
        " site keeps how many messages came or were refused, and the model that its noisy sums have made. Models, their"
        " figures and what was spent are kept for good."
    )
    words = _(
        "Ratings of a file, which simulated devices hold, are deleted when their run ends; if it fails, some %(hours)s"
        " hours later."
    )
    yield words % {"hours": write(KEPT_FOR_RETRY.total_seconds() / 3600)}


def _leaving() -> str:
    return _(
        "Your device sends nothing any more. What it gave before cannot be taken back: nothing tells your part of a"
        " sum, and models that were trained with it stay. ε and δ go on bounding what they tell of you; what is spent"
        " stays spent."
    )
