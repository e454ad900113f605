"""Training in words: names of algorithms, releases and runs, and their figures."""

import math
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reports.formatting import percent, rounded, whole
from reports.training.run_facts import RunFacts

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
    "metrics": gettext_lazy("metrics of people who never train"),
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
    """An ε without digits that say nothing: rounded up, but for what six decimals do not show."""
    digits = 2 if value < 100 else 0
    text = rounded(math.ceil(round(value * 10**digits, 4)) / 10**digits, digits)
    return text.rstrip("0").rstrip(".,") if digits else text


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


def interval_text(value: float | None, half_width: float | None) -> str:
    """A figure with half of its interval, if it has one."""
    if value is None or not half_width:
        return metric_text(value)
    return f"{metric_text(value)}\xa0±\xa0{metric_text(half_width)}"


def share_text(value: float | None, half_width: float | None) -> str:
    """A share with half of its interval, if it has one."""
    if value is None:
        return "–"
    return percent(value, 1) if not half_width else f"{rounded(100 * value, 1)}\xa0±\xa0{percent(half_width, 1)}"


def people_words(people: dict[str, int] | None) -> str:
    """Count the people of a simulation who train and those who only evaluate; empty where it is not known."""
    if people is None:
        return ""
    words = _("%(trained)s trained, %(evaluated)s evaluated")
    return words % {"trained": whole(people["trained"]), "evaluated": whole(people["evaluated"])}


def is_clear(metrics: dict[str, Any] | None, name: str = "rmse") -> bool:
    """Tell whether a metric was released with less noise than it is itself."""
    if metrics is None or name not in metrics["values"]:
        return False
    return bool(1.96 * metrics["standard_errors"][name] < metrics["values"][name])


def released_text(metrics: dict[str, Any] | None, name: str = "rmse") -> str:
    """A metric as people who never train have released it, with the 95 % interval of its noise."""
    if metrics is None or name not in metrics["values"]:
        return "–"
    if not is_clear(metrics, name):
        return _("lost in its noise")
    return interval_text(metrics["values"][name], 1.96 * metrics["standard_errors"][name])
