"""The parameters of a training task: what they may be, and what they are by default."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from typing import Annotated, Any, Final, get_type_hints

from ..errors import ParameterError, shown
from ..normalization import is_encodable

MAX_EPSILON: Final = 10.0
MAX_ROUNDS: Final = 10_000
MAX_DIMENSION: Final = 256
MAX_NAME: Final = 200
MODELS: Final = ("factored", "linear", "logistic")
ALGORITHMS: Final = ("dpam", "dp_sgd", "dp_fedavg", "dp_ftrl_tree", "dp_ftrl_banded")
METRICS: Final = ("rmse", "accuracy", "auc", "log_loss", "recall_at_20")
SAMPLED: Final = ("dp_sgd", "dp_fedavg")
_DPAM_RELEASES: Final = ("gramian", "item_gramians", "item_sums")
SLUG: Final = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")


class Mode(StrEnum):
    """Choice of what a task does: train, evaluate, or both."""

    TRAIN_AND_EVALUATE = "train_and_evaluate"
    TRAIN_ONLY = "train_only"
    EVALUATE_ONLY = "evaluate_only"


class Inference(StrEnum):
    """Reach of results on a device: the developer's code, or the device's own display alone."""

    VISIBLE = "visible"
    ON_DEVICE = "on_device"


class InvalidTask(ValueError):
    """A task that is not defined properly.

    Parameters
    ----------
    problems : list of ParameterError
        Everything that is wrong, each with its field.
    """

    def __init__(self, problems: list[ParameterError]) -> None:
        super().__init__(" ".join(f"{problem.field}: {problem}" for problem in problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type["InvalidTask"], tuple[list[ParameterError]]]:
        return type(self), (self.problems,)


@dataclass(frozen=True)
class ModelParameters:
    """A model's kind, and the dimension of its embeddings if it is factored."""

    kind: str
    dimension: int = 16


Reader = Callable[[str, Any], Any]


def _number(low: float, high: float, *, above: bool = False) -> Reader:
    def read(name: str, value: Any) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not is_number or not (low < value if above else low <= value) or value > high:
            least = f"above {low:g}" if above else f"at least {low:g}"
            raise ParameterError(name, f"{name} must be a number {least} and at most {high:g}, not {shown(value)}.")
        return float(value)

    return read


def _integer(low: int, high: int) -> Reader:
    def read(name: str, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise ParameterError(name, f"{name} must be an integer from {low} to {high}, not {shown(value)}.")
        return value

    return read


def is_storable_name(text: str) -> bool:
    """Tell whether a text has 1 to `MAX_NAME` characters, all of which a database keeps: no NUL, no lone surrogate."""
    return 0 < len(text) <= MAX_NAME and "\0" not in text and is_encodable(text)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not is_storable_name(value):
        raise ParameterError(
            name, f"{name} must be a text of 1 to {MAX_NAME} characters without NUL, not {shown(value)}."
        )
    return value


def _slug(name: str, value: Any) -> str:
    if not isinstance(value, str) or not SLUG.fullmatch(value) or len(value) > 50:
        raise ParameterError(name, f"{name} must be lower-case letters and digits with hyphens, not {shown(value)}.")
    return value


def _boolean(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(name, f"{name} must be true or false, not {shown(value)}.")
    return value


def _one_of(*known: str) -> Reader:
    def read(name: str, value: Any) -> str:
        if value not in known:
            raise ParameterError(name, f"{name} must be one of {', '.join(known)}, not {shown(value)}.")
        return str(value)

    return read


def _member(kind: type[StrEnum]) -> Reader:
    return lambda name, value: kind(_one_of(*kind)(name, value))


def _model(name: str, value: Any) -> ModelParameters:
    if not isinstance(value, Mapping) or not {"kind"} <= set(value) <= {"kind", "dimension"}:
        raise ParameterError(name, f'{name} must be {{"kind": …, "dimension": …}}, not {shown(value)}.')
    kind = _one_of(*MODELS)(name, value["kind"])
    return ModelParameters(kind, _integer(1, MAX_DIMENSION)(name, value.get("dimension", 16)))


def _range(name: str, value: Any) -> tuple[float, float]:
    number = _number(-1e6, 1e6)
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ParameterError(name, f"{name} must be [lowest, highest], not {shown(value)}.")
    low, high = number(name, value[0]), number(name, value[1])
    if low >= high:
        raise ParameterError(name, f"{name} must have its lowest rating first, not {shown(value)}.")
    return low, high


def _metrics(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise ParameterError(name, f"{name} must be a list of {', '.join(METRICS)}, not {shown(value)}.")
    return tuple(_one_of(*METRICS)(name, each) for each in value)


def _noise(name: str, value: Any) -> float | tuple[tuple[str, float], ...]:
    number = _number(0, 1e6, above=True)
    if isinstance(value, Mapping):
        return tuple((_text(name, kind), float(number(name, each))) for kind, each in sorted(value.items()))
    return float(number(name, value))


@dataclass(frozen=True)
class TrainingTask:
    """A training task, frozen; names as On-Device Personalization's open server has them.

    Parameters
    ----------
    slug, title : str
    population : int
        How many people may take part; nothing is assumed about it.
    model : ModelParameters
    algorithm : str
    rounds : int
    target_epsilon, delta : float
        The budget of one person for the whole run; δ is at most 1/(10 · population).
    sampling_rate : float
        The chance with which each person takes part in a round, for algorithms that sample.
    rating_range : tuple of float
        The lowest and the highest rating.
    clip_norm : float, optional
        The most that a person adds to a sum: the norm of a gradient, or of weighted ratings with DPAM.
    user_norm : float
        Γ, the norm of what describes a user in DPAM's sums.
    regularization : float, optional
        λ of the item side; estimated from what is released if it is absent.
    implicit_weight : float, optional
        α₀, the weight of items that were not rated. Above 0, ratings count as 1: a model of what is chosen.
    items_per_user : int
        The most items that one person contributes to.
    weight_exponent : float
        How much more items count that fewer people rate; 0 weighs all alike.
    learning_rate, server_learning_rate : float, optional
        Of local steps on devices, and of the server's.
    local_steps, batch : int
        Steps on a device in a round, and how many of its ratings each uses (0: all).
    report_goal : int
        Fewer contributions than that are never released.
    over_selection : float
        How many more devices are asked than the goal needs.
    minimum_separation : int, optional
        In how many rounds in a row a person takes part at most once, for algorithms that do not sample.
    noise_multiplier : float or tuple of (str, float), optional
        Of all releases, or by kind; calibrated to the target if absent.
    mode : Mode
    metrics : tuple of str
    inference : Inference
    public_features : bool
        Whether DPAM leans on public features of items.
    population_name : str
    """

    slug: Annotated[str, _slug]
    title: Annotated[str, _text]
    population: Annotated[int, _integer(1, 10**11)]
    model: Annotated[ModelParameters, _model]
    algorithm: Annotated[str, _one_of(*ALGORITHMS)]
    rounds: Annotated[int, _integer(1, MAX_ROUNDS)]
    target_epsilon: Annotated[float, _number(0, MAX_EPSILON, above=True)]
    delta: Annotated[float, _number(0, 0.1, above=True)]
    rating_range: Annotated[tuple[float, float], _range]
    sampling_rate: Annotated[float, _number(0, 1, above=True)] = 0.05
    clip_norm: Annotated[float | None, _number(0, 1e6, above=True)] = None
    user_norm: Annotated[float, _number(0, 1e3, above=True)] = 1.0
    regularization: Annotated[float | None, _number(0, 1e6)] = None
    implicit_weight: Annotated[float | None, _number(0, 1e3)] = None
    items_per_user: Annotated[int, _integer(1, 10_000)] = 256
    weight_exponent: Annotated[float, _number(0, 1)] = 0.3
    learning_rate: Annotated[float | None, _number(0, 1e6, above=True)] = None
    server_learning_rate: Annotated[float | None, _number(0, 1e6, above=True)] = None
    local_steps: Annotated[int, _integer(1, 1000)] = 1
    batch: Annotated[int, _integer(0, 10_000)] = 0
    report_goal: Annotated[int, _integer(1, 10**9)] = 100
    over_selection: Annotated[float, _number(0, 10)] = 0.3
    minimum_separation: Annotated[int | None, _integer(1, MAX_ROUNDS)] = None
    noise_multiplier: Annotated[float | tuple[tuple[str, float], ...] | None, _noise] = None
    mode: Annotated[Mode, _member(Mode)] = Mode.TRAIN_AND_EVALUATE
    metrics: Annotated[tuple[str, ...], _metrics] = ("rmse",)
    inference: Annotated[Inference, _member(Inference)] = Inference.ON_DEVICE
    public_features: Annotated[bool, _boolean] = False
    population_name: Annotated[str, _text] = ""

    @property
    def is_implicit(self) -> bool:
        """Tell whether the model is of what people choose, and not of how they rate it."""
        return bool(self.implicit_weight)

    @property
    def middle(self) -> float:
        """The rating that all are centred at."""
        return 0.0 if self.is_implicit else sum(self.rating_range) / 2

    @property
    def span(self) -> float:
        """The distance from the lowest rating to the highest."""
        return 1.0 if self.is_implicit else self.rating_range[1] - self.rating_range[0]

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "TrainingTask":
        """Read a task of a file.

        Raises
        ------
        InvalidTask
            With all problems: fields that are missing, unknown, of a wrong type or out of range.
        """
        problems = [
            ParameterError(str(name), f"There is no field {shown(name)}; leave it out.")
            for name in mapping
            if name not in _READERS
        ]
        read: dict[str, Any] = {}
        for name, reader in _READERS.items():
            if mapping.get(name) is None:
                if name in _REQUIRED:
                    problems.append(ParameterError(name, f"{name} is missing; give one."))
                continue
            try:
                read[name] = reader(name, mapping[name])
            except ParameterError as error:
                problems.append(error)
        problems += _between_fields(read)
        if problems:
            raise InvalidTask(problems)
        return cls(**read)

    def to_mapping(self) -> dict[str, Any]:
        """Return what `from_mapping` reads, with defaults as they are today; what has no value is left out."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.algorithm not in SAMPLED:
            del values["sampling_rate"]
        return {name: _plain(name, value) for name, value in values.items() if value not in (None, "")}


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, ModelParameters):
        return {"kind": value.kind, "dimension": value.dimension}
    if name == "noise_multiplier" and isinstance(value, tuple):
        return dict(value)
    if isinstance(value, StrEnum):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _between_fields(read: Mapping[str, Any]) -> list[ParameterError]:
    problems = []
    if "population" in read and "delta" in read and read["delta"] > (most := 1 / (10 * read["population"])):
        problems.append(
            ParameterError(
                "delta",
                f"delta must be at most 1/(10 · population) = {most:.3g}, not {read['delta']:g}: else a release that"
                " shows one person's data whole would be within it.",
            )
        )
    if read.get("algorithm") == "dpam" and "model" in read and read["model"].kind != "factored":
        problems.append(ParameterError("algorithm", f"dpam trains factored models, not {read['model'].kind} ones."))
    if read.get("algorithm") not in {None, "dpam"} and read.get("public_features"):
        problems.append(ParameterError("public_features", "Only dpam leans on public features."))
    if read.get("algorithm") not in {None, *SAMPLED} and "sampling_rate" in read:
        problems.append(ParameterError("sampling_rate", f"{read['algorithm']} does not sample; leave it out."))
    noise = read.get("noise_multiplier")
    if "algorithm" in read and isinstance(noise, tuple):
        kinds = _DPAM_RELEASES if read["algorithm"] == "dpam" else ("gradient",)
        if {*dict(noise)} != {*kinds}:
            problems.append(
                ParameterError(
                    "noise_multiplier",
                    f"noise_multiplier by kind of release must have exactly {', '.join(kinds)} with"
                    f" {read['algorithm']}, not {shown([*dict(noise)])}.",
                )
            )
    return problems


# The last annotation of a field reads it.
_READERS: Final[dict[str, Reader]] = {
    name: hint.__metadata__[0] for name, hint in get_type_hints(TrainingTask, include_extras=True).items()
}
_REQUIRED: Final = {each.name for each in fields(TrainingTask) if each.default is MISSING}
