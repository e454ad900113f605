"""The mechanisms there are, and the parts that each has to have."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Literal, overload

from ..errors import ParameterError, shown
from ..estimation import Corrected, Estimator
from .mechanism import Mechanism
from .parts import AuditPart, CostPart, DistributionPart, ScreeningPart, WordsPart

# A mechanism is a package with these modules. Its class, in the module `mechanism`, is made of what the first four
# hold; the others are asked for what `screening`, `audit` and `planning`, and people, need to know of it.
PARTS: Final = ("parameters", "client", "encoding", "server", "screening", "audit", "cost", "words")

MECHANISMS: Final[dict[str, type[Mechanism]]] = {}


def register(mechanism: type[Mechanism]) -> None:
    """Make a mechanism known by its name.

    Parameters
    ----------
    mechanism : type
        The class, in a module of the package that has the parts.

    Raises
    ------
    ParameterError
        If the package lacks a part, or there is another mechanism of that name.

    Examples
    --------
    >>> register(CountMeanSketch)  # it is registered already, so that nothing happens
    """
    missing = [part for part in PARTS if find_spec(f".{part}", _package(mechanism)) is None]
    if missing:
        raise ParameterError("algorithm", f"{mechanism.algorithm} lacks {', '.join(missing)}; write what is missing.")
    if MECHANISMS.setdefault(mechanism.algorithm, mechanism) is not mechanism:
        raise ParameterError("algorithm", f"There is a mechanism {mechanism.algorithm} already; take another name.")


def mechanism_for(algorithm: str, parameters: Mapping[str, object]) -> Mechanism:
    """Return the mechanism of a name.

    Parameters
    ----------
    algorithm : str
        Its name on the wire, such as ``"CountMeanSketch"``.
    parameters : mapping of str to object
        Its wire parameters; anything may be in it.

    Raises
    ------
    ParameterError
        If there is no such mechanism, or a parameter is missing, unknown or out of range.

    References
    ----------
    The report format, section 4.

    Examples
    --------
    >>> mechanism_for("CountMeanSketch", {"epsilon": 4, "k": 64, "m": 64, "seed": "00" * 16}).report_epsilon
    Decimal('4')
    """
    if algorithm not in MECHANISMS:
        known = ", ".join(MECHANISMS)
        raise ParameterError("algorithm", f"There is no algorithm {shown(algorithm)}; use one of {known}.")
    return MECHANISMS[algorithm].from_parameters(parameters)


def estimator_of(mechanism: Mechanism, dictionary_size: int, *, complete: bool) -> Estimator:
    """Return the estimator of a dictionary: corrected for collisions if it is complete and the hash functions allow it.

    Parameters
    ----------
    mechanism : Mechanism
    dictionary_size : int
        Elements that are read out.
    complete : bool
        Whether devices can report no others.

    Examples
    --------
    >>> cms = CountMeanSketch(epsilon=4, k=256, m=1024, seed=7)
    >>> estimator_of(cms, 2600, complete=True).name, estimator_of(cms, 2600, complete=False).name
    ('corrected', 'debiased')
    """
    collisions = mechanism.collisions
    if complete and collisions is not None and collisions.can_be_corrected(dictionary_size):
        return Corrected(collisions, dictionary_size)
    return mechanism.debiased


def parameter_types() -> dict[str, type[Any]]:
    """Return the chosen parameters of all mechanisms, each once, with what they are.

    Examples
    --------
    >>> parameter_types()["k"]
    <class 'int'>
    """
    return {name: kind for mechanism in MECHANISMS.values() for name, kind in mechanism.parameter_types.items()}


def parameter_names() -> set[str]:
    """Return the names that wire parameters of any mechanism have."""
    derived = {name for mechanism in MECHANISMS.values() for name in mechanism.dictionary_parameters}
    return {"hash", "seed", *derived, *parameter_types()}


@overload
def part_of(mechanism: Mechanism | type[Mechanism], part: Literal["screening"]) -> ScreeningPart: ...
@overload
def part_of(mechanism: Mechanism | type[Mechanism], part: Literal["audit"]) -> AuditPart: ...
@overload
def part_of(mechanism: Mechanism | type[Mechanism], part: Literal["cost"]) -> CostPart: ...
@overload
def part_of(mechanism: Mechanism | type[Mechanism], part: Literal["words"]) -> WordsPart: ...
@overload
def part_of(mechanism: Mechanism | type[Mechanism], part: str) -> Any: ...
def part_of(mechanism: Mechanism | type[Mechanism], part: str) -> Any:
    """Return a module of a mechanism's package, loaded when it is first asked for: devices need few of them.

    Raises
    ------
    ParameterError
        If the mechanism is not registered.
    """
    if mechanism.algorithm not in MECHANISMS:
        raise ParameterError("algorithm", f"{mechanism.algorithm} has no {part}: it is not registered.")
    return import_module(f".{part}", _package(MECHANISMS[mechanism.algorithm]))


def distribution_of(mechanism: Mechanism) -> DistributionPart | None:
    """Return the module `distribution` of a mechanism's package; None if it has none."""
    package = _package(MECHANISMS[mechanism.algorithm])
    if find_spec(".distribution", package) is None:
        return None
    part: DistributionPart = import_module(".distribution", package)
    return part


def _package(mechanism: type[Mechanism]) -> str:
    return mechanism.__module__.rpartition(".")[0]
