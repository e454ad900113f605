"""Grid of an evaluation: inputs, mechanisms with their parameters, values of ε, and how often."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import islice, product
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from ..errors import ParameterError, shown
from ..parameters import parse_epsilon
from ..registry import MECHANISMS, Mechanism, mechanism_for
from .estimators import ESTIMATORS, corrected
from .observed_counts import MOST_ELEMENTS, CountsError, read_counts
from .true_counts import INVENTED, TrueCounts, invented, observed

Family: TypeAlias = Literal["fixed", "fresh"]
FAMILIES: Final[tuple[Family, Family]] = ("fixed", "fresh")
# The paper's grid; it states no ε.
DEFAULTS: Final[Mapping[str, Any]] = json.loads(Path(__file__).with_name("paper.json").read_text(encoding="utf-8"))
DEFAULT_ESTIMATOR: Final = "debiased"
# Limit of inputs, of shapes, of values of ε, and of shapes at one ε each: no grid is made that would not be tried
# anyway.
_MOST: Final = 1000


@dataclass(frozen=True)
class Shape:
    """A mechanism with all its parameters but ε, and how its read-outs are turned into counts."""

    algorithm: str
    parameters: Mapping[str, object]
    estimators: tuple[str, ...]

    @property
    def key(self) -> str:
        return json.dumps([self.algorithm, self.parameters], sort_keys=True)

    def mechanism(self, epsilon: Decimal, seed: bytes, elements: Sequence[str] | None = None) -> Mechanism:
        """Return the mechanism; where devices need their dictionary, one of any unless there are elements."""
        known = MECHANISMS[self.algorithm]
        given = {**self.parameters, "epsilon": epsilon, **({"seed": seed.hex()} if known.has_seed else {})}
        made = mechanism_for(self.algorithm, known.for_dictionary(given, elements))
        return made if elements is None else made.with_dictionary(elements)


@dataclass(frozen=True)
class Cell:
    """One combination of a grid."""

    distribution: int
    shape: int
    epsilon: Decimal
    estimator: str


@dataclass(frozen=True)
class Grid:
    """Cells that are tried: every input with every shape at every ε."""

    inputs: tuple[TrueCounts, ...]
    shapes: tuple[Shape, ...]
    epsilons: tuple[Decimal, ...]
    repetitions: int
    family: Family
    top: int

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(
            Cell(place, shape, epsilon, estimator)
            for place in range(len(self.inputs))
            for shape in range(len(self.shapes))
            for epsilon in self.epsilons
            for estimator in self.shapes[shape].estimators
        )


def read_grid(document: object, load: Callable[[str], str]) -> Grid:
    """Read a grid as its file has it; what is left out has its default.

    Parameters
    ----------
    document : object
        The JSON document: ``distributions``, ``elements``, ``reports``, ``mechanisms``, ``epsilon``, ``repetitions``,
        ``family`` and ``top``.
    load : callable
        Returns the text of an observed list, which the document names.

    Raises
    ------
    ParameterError
        For the first value that cannot be used, with the place where it stands.

    Notes
    -----
    An observed list has its own elements, and is scaled to ``reports`` by largest remainder if the document says how
    many; otherwise it stays as it is.
    """
    if not isinstance(document, dict):
        raise ParameterError("grid", f"A grid is a JSON object, not {shown(document)}.")
    for name in document:
        if name not in DEFAULTS:
            raise ParameterError(str(name), f"There is no {shown(name)} in a grid; known are {', '.join(DEFAULTS)}.")
    given = {**DEFAULTS, **document}
    elements, reports = _whole(given, "elements", MOST_ELEMENTS), _whole(given, "reports")
    scaled = reports if "reports" in document else None
    inputs = tuple(
        _input(item, f"distributions[{place}]", elements, reports, scaled, load)
        for place, item in enumerate(_list(given, "distributions"))
    )
    _refuse_repeated("distributions", [each.name for each in inputs])
    found = (
        shape
        for place, item in enumerate(_list(given, "mechanisms"))
        for shape in _shapes(item, f"mechanisms[{place}]")
    )
    shapes = tuple(islice(found, _MOST + 1))
    epsilons = tuple(parse_epsilon("epsilon", value) for value in _list(given, "epsilon"))
    if len(shapes) * len(epsilons) > _MOST:
        raise ParameterError("mechanisms", f"mechanisms: at most {_MOST:,} shapes at one ε each fit; try fewer.")
    _refuse_repeated("mechanisms", [shape.key for shape in shapes])
    _refuse_repeated("epsilon", list(epsilons))
    if given["family"] not in FAMILIES:
        raise ParameterError("family", f'family must be "fixed" or "fresh", not {shown(given["family"])}.')
    grid = Grid(inputs, shapes, epsilons, _whole(given, "repetitions"), given["family"], _whole(given, "top"))
    for shape in grid.shapes:
        for epsilon in grid.epsilons:
            for each in grid.inputs:
                # Raises what the mechanism has against its parameters.
                needed = each.elements if MECHANISMS[shape.algorithm].needs_dictionary else None
                mechanism = shape.mechanism(epsilon, bytes(16), needed)
                if "corrected" in shape.estimators:
                    corrected(mechanism, len(each.elements))
    return grid


def _whole(given: Mapping[str, Any], name: str, most: int = 2**53 - 1) -> int:
    value = given[name]
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ParameterError(name, f"{name} must be a whole number of at least 1, not {shown(value)}.")
    if value > most:
        raise ParameterError(name, f"{name}: {value:,} are too many; at most {most:,} fit.")
    return value


def _list(given: Mapping[str, Any], name: str) -> list[Any]:
    value = given[name]
    if name == "epsilon" and isinstance(value, int | float) and not isinstance(value, bool):
        return [value]
    if not isinstance(value, list) or not value:
        raise ParameterError(name, f"{name} must be a list with something in it, not {shown(value)}.")
    if len(value) > _MOST:
        raise ParameterError(name, f"{name}: a list may have {_MOST:,} values; leave some out.")
    return value


def _refuse_repeated(name: str, values: Sequence[object]) -> None:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise ParameterError(name, f"{name} has {shown(value)} twice; leave one out.")


def _input(
    item: object, where: str, elements: int, reports: int, scaled: int | None, load: Callable[[str], str]
) -> TrueCounts:
    if isinstance(item, str) and item in INVENTED:
        return invented(item, elements, reports)
    if isinstance(item, dict) and list(item) == ["observed"] and isinstance(item["observed"], str):
        name = item["observed"]
        try:
            found, counts = read_counts(load(name))
        except CountsError as error:
            raise ParameterError(where, f"{name}: {error}") from error
        return observed(name, found, counts, scaled)
    known = ", ".join(f'"{name}"' for name in INVENTED)
    raise ParameterError(where, f'{where} must be {known} or {{"observed": "FILE"}}, not {shown(item)}.')


def _shapes(item: object, where: str) -> Iterator[Shape]:
    """Yield a shape for each combination of the values that a mechanism's parameters are given."""
    if not isinstance(item, dict) or not isinstance(item.get("algorithm"), str):
        raise ParameterError(where, f'{where} must be an object with an "algorithm", not {shown(item)}.')
    algorithm = item["algorithm"]
    counting = [name for name, mechanism in MECHANISMS.items() if mechanism.kind == "counting"]
    if algorithm not in counting:
        raise ParameterError(where, f"{where}: {shown(algorithm)} counts nothing; use one of {', '.join(counting)}.")
    estimators = _values(item.get("estimator", DEFAULT_ESTIMATOR))
    for estimator in estimators:
        if estimator not in ESTIMATORS:
            known = ", ".join(ESTIMATORS)
            raise ParameterError(where, f"{where} has no estimator {shown(estimator)}; use one of {known}.")
    # Yes or no is not tried: every element is in the dictionary.
    types = MECHANISMS[algorithm].parameter_types
    wanted = [name for name, kind in types.items() if name != "epsilon" and kind is not bool]
    given = {name: _values(value) for name, value in item.items() if name not in ("algorithm", "estimator")}
    for name in wanted:
        if not given.get(name):
            raise ParameterError(where, f"{where}: {algorithm} needs {name}; give a value or a list of them.")
    for name in given:
        if name not in wanted:
            known = ", ".join(wanted)
            raise ParameterError(where, f"{where}: {algorithm} has no {shown(name)}; it has {known}.")
    for values in product(*(given[name] for name in wanted)):
        yield Shape(algorithm, dict(zip(wanted, values, strict=True)), tuple(map(str, estimators)))


def _values(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def seed_of(seed: int, *what: object) -> int:
    """Return 128 bits that are drawn for a purpose, the same whenever it is asked for."""
    return int.from_bytes(hashlib.sha256(json.dumps([seed, *what]).encode()).digest()[:16], "big")
