"""The answer of a task's runs in sentences: what was learned, at which ε, what left, and what a person can count on."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from aggregation import training
from reports.formatting import data_size, percent, rounded, whole
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


class Answer(NamedTuple):
    """A reader's question, and the answer."""

    question: str
    words: str
    link: str = ""
    leads_to: str = ""


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


def more_answers(settings: Sequence[Setting], ledger: Ledger, releases: Sequence[dict[str, Any]]) -> list[Answer]:
    """Say the rest of what a reader asks first, about the run that is shown."""
    shown = settings[0].run
    return [
        Answer(_("What was learned"), " ".join(_learned(settings))),
        Answer(_("At which ε"), " ".join(_spent(shown, ledger))),
        Answer(_("What left the boundary"), releases_in_words(shown, releases), "#left", _("Release by release")),
        Answer(
            _("What a person can count on"),
            " ".join(_counted_on(shown, ledger)),
            statement_address(shown),
            _("Privacy statement"),
        ),
    ]


def statement_address(run: RunFacts) -> str:
    """Return where the statement of a run's own version is."""
    version = run.run.version
    address = reverse("training_privacy", args=[version.task.slug])
    is_active = version.state == version.State.ACTIVE
    return address if is_active else f"{address}?version={version.number}"


def _learned(settings: Sequence[Setting]) -> Iterator[str]:
    first, shown, best = settings[0], settings[0].run, best_of(settings)
    mean, rmse = shown.baseline("mean"), shown.rmse
    if shown.target is not None and best is not None and rmse is not None and mean is not None and mean > best:
        way = percent(max(0.0, (mean - rmse) / (mean - best)), 0)
        yield _("%(way)s of the way from one mean to a model without privacy.") % {"way": way}
    rivals = [
        each
        for each in settings[1:]
        if each.target == first.target and each.rmse is not None and algorithm_of(each.run) != algorithm_of(shown)
    ]
    if shown.target is not None and rmse is not None and rivals:
        rival = min(rivals, key=lambda each: each.rmse or 0.0)
        words = _("With the same ε, %(algorithm)s has %(rmse)s.")
        yield words % {"algorithm": algorithm_of(rival.run), "rmse": metric_text(rival.rmse)}
    popular = shown.baseline("popularity", "recall_at_20")
    if rmse is not None and shown.recall is not None and popular is not None and shown.recall < popular:
        words = _(
            "It was trained to predict ratings, not choices: its first 20 have %(recall)s of what people choose, the"
            " most popular titles %(popular)s."
        )
        recall = share_text(shown.recall, 1.96 * (shown.recall_error or 0.0))
        yield words % {"recall": recall, "popular": share_text(popular, None)}
    if shown.metrics is not None and "rmse" in shown.metrics["values"]:
        words = _("People who never train released an error of %(rmse)s, with noise and for a budget of their own.")
        if rmse is not None:
            words = _(
                "The error is exact, because devices are simulated. As people who never train released it, with noise"
                " and for a budget of their own: %(rmse)s."
            )
        yield words % {"rmse": released_text(shown.metrics)}


def _spent(shown: RunFacts, ledger: Ledger) -> Iterator[str]:
    if shown.target is None:
        yield _("None: nothing bounds what a run without noise gives away.")
    else:
        words = _("%(epsilon)s, δ = %(delta)s for all that one person gives in a whole run.")
        yield words % {"epsilon": epsilon_words(shown), "delta": delta_text(shown.parameters["delta"])}
        yield from drawn_words(shown)
    yield from spent_in_words(ledger)


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


def _counted_on(shown: RunFacts, ledger: Ledger) -> Iterator[str]:
    if shown.target is None:
        yield _("On nothing: this model is for comparison alone, and is not handed out.")
        return
    words = _(
        "From this one run alone, a guess at even odds whether a person took part is right with a chance of %(belief)s"
        " %% at most, but for δ, whatever else is known."
    )
    is_drawn = shown.algorithm in training.SAMPLED
    if is_drawn:
        words = _(
            "From this one run alone, a guess at even odds whether a person took part is right with a chance of"
            " %(belief)s %% at most, but for δ, whatever else is known, but for who was drawn in which round."
        )
    yield words % {"belief": belief(shown.target)}
    if is_drawn:
        yield known_draw(shown.unamplified_epsilon, number_text)
    yield bound_words(shown.target)
    if shown.has_exact_figures_of_people:
        yield uncovered_words()
    spent = ledger.of(shown.run.source_of_data)
    if spent.runs > 1:
        yield _("Runs over the same people are bounded together only by the sum of their ε.")
    if spent.without_noise and shown.run.catalogue:
        yield _("Nothing bounds a run without noise; it is shown because its people are invented.")
    elif spent.without_noise:
        yield _("Nothing bounds a run without noise, and the people of its file may be real.")


def uncovered_words() -> str:
    return _("The exact figures are of people who may be real; ε does not cover them. Do not publish them.")


def is_useless(epsilon: float) -> bool:
    """Tell whether e^ε is so large that a bound by it says little of one person alone."""
    return math.exp(epsilon) > MOST_LIKELIER


def releases_in_words(run: RunFacts, releases: Sequence[dict[str, Any]]) -> str:
    kinds = ", ".join(dict.fromkeys(each["name"] for each in releases))
    if run.target is None:
        words = ngettext(
            "%(count)s sum without noise has left the boundary (%(kinds)s).",
            "%(count)s sums without noise have left the boundary (%(kinds)s).",
            len(releases),
        )
    else:
        words = ngettext(
            "%(count)s sum with noise has left the boundary (%(kinds)s).",
            "%(count)s sums with noise have left the boundary (%(kinds)s).",
            len(releases),
        )
    said = words % {"count": whole(len(releases)), "kinds": kinds} + " "
    if run.has_exact_figures_of_people:
        said += _("Beside these sums, exact figures are shown here.") + " " + uncovered_words()
    else:
        said += _("Nothing else has.")
    # Runs of earlier days have not kept it.
    if releases and all("bytes" in each for each in releases):
        numbers, size = (sum(each[name] for each in releases) for name in ("numbers", "bytes"))
        words = _("Together they are %(numbers)s numbers, %(size)s.")
        said += " " + words % {"numbers": whole(numbers), "size": data_size(size)}
    if run.run.by_devices:
        return said
    simulated = _("Devices were simulated: no real device sent anything.")
    return f"{said} {simulated}"


def tree_length(run: RunFacts) -> int:
    """Return in how many rounds in a row a person takes part at most once: so long is a tree."""
    task = parameters_of(run.run.version)
    return training.algorithm_for(task).separation(task)
