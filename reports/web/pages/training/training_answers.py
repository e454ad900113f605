"""The answer of a task's runs in sentences: what was learned, at which ε, what left, and what a person can count on."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from aggregation import training
from reports.formatting import percent, rounded, whole
from reports.models import TrainingRun
from reports.training import parameters_of
from reports.training.ledgers import Ledger, Spent
from reports.training.privacy_statement import known_draw
from reports.training.run_facts import RunFacts, Setting
from reports.web.pages.training.training_words import (
    algorithm_of,
    delta_text,
    epsilon_words,
    is_clear,
    metric_text,
    number_text,
    released_text,
    share_text,
)

# The largest e^ε that pages call a bound. At it, a guess at even odds is right with a chance of 95 %.
MOST_LIKELIER: Final = 20
# Above it, pages write no e^ε.
MOST_WRITTEN: Final = 1000


def best_of(settings: Sequence[Setting]) -> float | None:
    """Return the least error without noise."""
    found = (each.rmse for each in settings if each.target is None and each.rmse is not None)
    return min(found, default=None)


def headline(shown: RunFacts, best: float | None, *, exact: bool = True) -> str:
    """Say in one sentence what came out; without exact figures, which ε does not cover, what was released of it."""
    count = shown.run.newest_round or 0
    rounds = ngettext("%(count)s round", "%(count)s rounds", count) % {"count": whole(count)}
    noise = _("at %(epsilon)s") % {"epsilon": epsilon_words(shown)} if shown.target is not None else _("without noise")
    facts = {
        "rounds": rounds,
        "noise": noise,
        "rmse": metric_text(shown.rmse),
        "mean": metric_text(shown.baseline("mean")),
        "best": metric_text(best),
        "recall": share_text(shown.recall, 1.96 * (shown.recall_error or 0.0)),
        "popular": share_text(shown.baseline("popularity", "recall_at_20"), None),
        "released": released_text(shown.metrics),
    }
    return (_sentence(shown, best) if exact else _released_sentence(shown)) % facts


def _sentence(shown: RunFacts, best: float | None) -> str:
    if shown.rmse is not None and shown.target is not None and best is not None:
        return _(
            "After %(rounds)s %(noise)s, the model predicts ratings with an error of %(rmse)s, where one mean has"
            " %(mean)s and training without privacy %(best)s."
        )
    if shown.rmse is not None:
        return _(
            "After %(rounds)s %(noise)s, the model predicts ratings with an error of %(rmse)s, where one mean has"
            " %(mean)s."
        )
    if shown.recall is not None:
        return _(
            "After %(rounds)s %(noise)s, the model has %(recall)s of what new people choose among its first 20, where"
            " the most popular titles have %(popular)s."
        )
    return _released_sentence(shown)


def _released_sentence(shown: RunFacts) -> str:
    if shown.metrics is not None and "rmse" in shown.metrics["values"]:
        if not is_clear(shown.metrics):
            return _("After %(rounds)s %(noise)s, the error that people who never train released is lost in its noise.")
        return _("After %(rounds)s %(noise)s, people who never train released an error of %(released)s.")
    if shown.parameters.get("mode") == training.Mode.TRAIN_ONLY:
        return _("After %(rounds)s %(noise)s, there is a model. How good it is was not let out: the task only trains.")
    return _("After %(rounds)s %(noise)s, there is a model; no error of it was released.")


def answers_context(settings: Sequence[Setting], ledger: Ledger, releases: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what the template says of the run that is shown, as answers to what a reader asks first."""
    shown, spent = settings[0].run, ledger.of(settings[0].run.run.source_of_data)
    sizes = (
        {name: sum(each[name] for each in releases) for name in ("numbers", "bytes")} if _has_sizes(releases) else {}
    )
    return {
        "learned": _learned(settings),
        "epsilon": epsilon_words(shown),
        "delta": delta_text(shown.parameters["delta"]),
        "drawn": [*drawn_words(shown)],
        "spent": [*spent_in_words(ledger)],
        "left": {"count": len(releases), "kinds": ", ".join(dict.fromkeys(each["name"] for each in releases)), **sizes},
        "is_drawn": shown.algorithm in training.SAMPLED,
        "belief": "" if shown.target is None else belief(shown.target),
        "bound": "" if shown.target is None else bound_words(shown.target),
        "together": spent,
    }


def _has_sizes(releases: Sequence[dict[str, Any]]) -> bool:
    """Tell whether it is known how much was released; runs of earlier days have not kept it."""
    return bool(releases) and all("bytes" in each for each in releases)


def statement_address(run: RunFacts) -> str:
    """Return where the statement of a run's own version is."""
    version = run.run.version
    address = reverse("training_privacy", args=[version.task.slug])
    is_active = version.state == version.State.ACTIVE
    return address if is_active else f"{address}?version={version.number}"


def _learned(settings: Sequence[Setting]) -> dict[str, str]:
    """Return figures of the run that is shown beside those that it is compared with, as far as there are any."""
    first, shown, best = settings[0], settings[0].run, best_of(settings)
    mean, rmse, found = shown.baseline("mean"), shown.rmse, {}
    if shown.target is not None and best is not None and rmse is not None and mean is not None and mean > best:
        found["way"] = percent(max(0.0, (mean - rmse) / (mean - best)), 0)
    rivals = [
        each
        for each in settings[1:]
        if each.target == first.target and each.rmse is not None and algorithm_of(each.run) != algorithm_of(shown)
    ]
    if shown.target is not None and rmse is not None and rivals:
        rival = min(rivals, key=lambda each: each.rmse or 0.0)
        found |= {"rival": algorithm_of(rival.run), "rival_rmse": metric_text(rival.rmse)}
    popular = shown.baseline("popularity", "recall_at_20")
    if rmse is not None and shown.recall is not None and popular is not None and shown.recall < popular:
        recall = share_text(shown.recall, 1.96 * (shown.recall_error or 0.0))
        found |= {"recall": recall, "popular": share_text(popular, None)}
    if shown.metrics is not None and "rmse" in shown.metrics["values"]:
        found["released"] = released_text(shown.metrics)
    return found


def drawn_words(run: RunFacts) -> Iterator[str]:
    """Say against whom ε holds, where it counts on a draw of people."""
    if run.target is not None and run.algorithm in training.SAMPLED:
        yield _("It holds against those who do not know who was drawn in which round.")
        yield known_draw(run.unamplified_epsilon, number_text)


def spent_in_words(ledger: Ledger) -> Iterator[str]:
    """Say what has been spent of real people, and in simulations apart, of those there are."""
    source = TrainingRun.Source
    names = {
        source.DEVICES: _("By real devices:"),
        source.FILE: _("Simulated, with the ratings of a file, whose people may be real:"),
        source.INVENTED: _("Simulated, with invented people; no real person is in them:"),
    }
    for of, spent in ledger.by_source():
        if of == source.DEVICES or spent.has_begun:
            yield f"{names[of]} {_sum_in_words(spent)}"


def _sum_in_words(spent: Spent) -> str:
    words = ngettext("ε = %(epsilon)s in %(count)s run", "ε = %(epsilon)s in %(count)s runs", spent.runs)
    said = words % {"epsilon": number_text(spent.epsilon), "count": whole(spent.runs)}
    if is_useless(spent.epsilon):
        said += _(", which is no useful bound on one person alone")
    if spent.without_noise:
        words = ngettext(
            "; %(count)s more had no noise, and nothing bounds what its model gives away",
            "; %(count)s more had no noise, and nothing bounds what their models give away",
            spent.without_noise,
        )
        said += words % {"count": whole(spent.without_noise)}
    return f"{said}."


def belief(epsilon: float) -> str:
    """The chance with which a guess whether a person took part is right at most, if both are as likely before."""
    value, digits = 100 / (1 + math.exp(-epsilon)), 1
    while round(value, digits) >= 100:
        digits += 1
    return rounded(value, digits)


def likelier(epsilon: float) -> str:
    """e^ε: by how much likelier one person can make an outcome at most."""
    factor = math.exp(epsilon)
    return rounded(factor, 1 if factor < 100 else 0)


def bound_words(epsilon: float) -> str:
    """Say what ε bounds of one run."""
    words = _(
        "At ε = %(epsilon)s, one run’s outcome is at most e^ε = %(factor)s times as likely with a person as without."
    )
    if math.exp(epsilon) > MOST_WRITTEN:
        words = _(
            "At ε = %(epsilon)s, one run’s outcome may be more than %(most)s times as likely with a person as without,"
            " which is no useful bound on one person alone; at ε = 1 it is %(usual)s times at most."
        )
    elif is_useless(epsilon):
        words = _(
            "At ε = %(epsilon)s, one run’s outcome is at most e^ε = %(factor)s times as likely with a person as"
            " without, which is no useful bound on one person alone; at ε = 1 it is %(usual)s times at most."
        )
    factors = {"factor": likelier(epsilon), "usual": likelier(1.0), "most": whole(MOST_WRITTEN)}
    return words % {"epsilon": number_text(epsilon), **factors}


def is_useless(epsilon: float) -> bool:
    """Tell whether e^ε is so large that a bound by it says little of one person alone."""
    return math.exp(epsilon) > MOST_LIKELIER


def tree_length(run: RunFacts) -> int:
    """Return in how many rounds in a row a person takes part at most once: so long is a tree."""
    task = parameters_of(run.run.version)
    return training.algorithm_for(task).separation(task)
