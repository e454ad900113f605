"""Training in words: names of algorithms and releases, and the answer of a task's runs in sentences."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reports.formatting import percent, rounded
from reports.training.run_facts import Ledger, RunFacts

# Short ones, which legends and tables have room for, and what they are.
_ALGORITHMS: Final = {
    "dpam": ("DPAM", gettext_lazy("DPAM, alternating minimisation")),
    "dp_sgd": ("DP-SGD", gettext_lazy("DP-SGD, gradients of people who are drawn")),
    "dp_fedavg": ("DP-FedAvg", gettext_lazy("DP-FedAvg, several steps of people who are drawn")),
    "dp_ftrl_banded": ("DP-FTRL", gettext_lazy("DP-FTRL, noise that later rounds take back")),
    "dp_ftrl_tree": ("DP-FTRL tree", gettext_lazy("DP-FTRL, noise by a binary tree")),
}
_KINDS: Final = {
    "factored": gettext_lazy("Factored: people and items as vectors"),
    "linear": gettext_lazy("Linear"),
    "logistic": gettext_lazy("Logistic"),
}
# Sums that leave the boundary, by the names that algorithms give them.
_RELEASES: Final = {
    "gramian": gettext_lazy("what people are like"),
    "item_gramians": gettext_lazy("who rates an item"),
    "item_sums": gettext_lazy("how an item is rated"),
    "gradient": gettext_lazy("gradients"),
}
_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_METRIC_DIGITS: Final = 3


def algorithm_name(name: str) -> str:
    """The name of an algorithm, and what it does."""
    return str(_ALGORITHMS[name][1])


def release_name(name: str) -> str:
    """A kind of release in words, with its own name."""
    return f"{_RELEASES[name]} ({name})" if name in _RELEASES else name


def algorithm_of(run: RunFacts) -> str:
    """The short name of a run's algorithm, and whether it knew the public features."""
    name = _ALGORITHMS[run.algorithm][0]
    return _("%(algorithm)s with public features") % {"algorithm": name} if uses_features(run) else name


def uses_features(run: RunFacts) -> bool:
    return bool(run.parameters.get("public_features"))


def model_name(parameters: dict[str, Any]) -> str:
    model = parameters["model"]
    words = _("%(kind)s, dimension %(dimension)s")
    return words % {"kind": _KINDS.get(model["kind"], model["kind"]), "dimension": model["dimension"]}


def number_text(value: float) -> str:
    """An ε without digits that say nothing."""
    return rounded(value, 2).rstrip("0").rstrip(".,") if value < 100 else rounded(value, 0)


def delta_text(value: float) -> str:
    """A δ as a power of ten, with what it is multiplied by."""
    factor, _e, exponent = f"{value:.0e}".partition("e")
    power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    return power if factor == "1" else f"{factor}\xa0·\xa0{power}"


def epsilon_words(run: RunFacts) -> str:
    return _("without noise") if run.target is None else f"ε\xa0=\xa0{number_text(run.target)}"


def run_name(run: RunFacts) -> str:
    """A run as legends and tables have it."""
    return _("%(algorithm)s, %(epsilon)s") % {"algorithm": algorithm_of(run), "epsilon": epsilon_words(run)}


def metric_text(value: float | None) -> str:
    return "–" if value is None else rounded(value, _METRIC_DIGITS)


def answers(shown: RunFacts, compared: Sequence[RunFacts], ledger: Ledger) -> list[str]:
    """What came out, in sentences: how good the model is, what privacy costs, and what has been spent."""
    return [*_quality(shown, compared), *_others(shown, compared), *_spent(ledger)]


def _quality(shown: RunFacts, compared: Sequence[RunFacts]) -> Iterator[str]:
    rmse, mean = shown.rmse, shown.baseline("mean")
    if rmse is None:
        return
    facts = {"epsilon": epsilon_words(shown), "rmse": metric_text(rmse)}
    if shown.target is None:
        yield _("Without noise, the model is off by %(rmse)s (RMSE) on ratings that it never saw.") % facts
    else:
        yield (
            _(
                "With %(epsilon)s for all that a person gives in a whole run, the model is off by %(rmse)s (RMSE) on"
                " ratings that it never saw."
            )
            % facts
        )
    if mean is None:
        return
    best = min((run.rmse for run in compared if run.target is None and run.rmse is not None), default=None)
    if shown.target is None or best is None:
        yield _("One mean for everything would be off by %(mean)s.") % {"mean": metric_text(mean)}
        return
    way = (mean - rmse) / (mean - best) if mean > best else 0.0
    words = _(
        "One mean for everything would be off by %(mean)s, and a model without privacy by %(best)s: this one goes"
        " %(way)s of the way."
    )
    yield words % {"mean": metric_text(mean), "best": metric_text(best), "way": percent(max(0.0, way), 0)}


def _others(shown: RunFacts, compared: Sequence[RunFacts]) -> Iterator[str]:
    """The best other algorithm at about the same ε."""
    if shown.target is None or shown.rmse is None:
        return
    rivals = [
        run
        for run in compared
        if run.target == shown.target and algorithm_of(run) != algorithm_of(shown) and run.rmse is not None
    ]
    if rivals:
        rival = min(rivals, key=lambda run: run.rmse or 0.0)
        words = _("With the same ε, %(algorithm)s is off by %(rmse)s.")
        yield words % {"algorithm": algorithm_of(rival), "rmse": metric_text(rival.rmse)}


def _spent(ledger: Ledger) -> Iterator[str]:
    count = len(ledger.spenders)
    if count:
        words = ngettext(
            "%(count)s run has spent ε = %(epsilon)s of the people in it.",
            "%(count)s runs have spent ε = %(epsilon)s of the people in them: runs over the same people add up.",
            count,
        )
        yield words % {"count": count, "epsilon": number_text(ledger.epsilon)}
