"""The parameters of subset selection: ε, the size of a subset, and the dictionary that it is of."""

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar, Final, Self

from ...errors import ParameterError, shown
from ...parameters import check_names, exact_epsilon, json_epsilon, parse_epsilon, parse_integer
from ...randomness import device_below, lie_threshold
from ..one_stream import OneStream

MOST_ELEMENTS: Final = 4096
MOST_CHOSEN: Final = 512
_CLEARLY: Final = 1.01
_DIGEST: Final = re.compile("[0-9a-f]{32}")


def dictionary_digest(elements: Sequence[str]) -> str:
    """Return what names a dictionary on the wire: 32 hex digits of the SHA-256 of its sorted elements, one a line."""
    return hashlib.sha256("\n".join(sorted(elements)).encode()).hexdigest()[:32]


def best_subset(epsilon: float, size: int) -> int:
    """Return the w of the smallest errors: the integer nearest D/(e^ε + 1), within what it may be, or one less.

    Of few elements one less may be better by some percent.

    References
    ----------
    M. Ye, A. Barg, "Optimal schemes for discrete distribution estimation under locally differential privacy" (2018).
    """
    w = max(1, min(round(size / (math.exp(epsilon) + 1)), MOST_CHOSEN, size - 1))
    return w - 1 if w > 1 and _noise(w, epsilon, size) > _CLEARLY * _noise(w - 1, epsilon, size) else w


def _noise(w: int, epsilon: float, size: int) -> float:
    """Return the variance that a report adds to the estimate where the true count is 0: q(1 - q)/(p - q)²."""
    odds = math.exp(epsilon)
    p = w * odds / (w * odds + size - w)
    q = (p * (w - 1) + (1 - p) * w) / (size - 1)
    return q * (1 - q) / (p - q) ** 2


@dataclass(frozen=True)
class Parameters(OneStream):
    """ε, w, the number D of elements, *anything else* included, the digest of these, and perhaps the elements."""

    algorithm: ClassVar[str] = "SubsetSelection"
    parameter_types: ClassVar[Mapping[str, type[Any]]] = {"epsilon": Decimal, "w": int, "other": bool}
    has_seed: ClassVar[bool] = False
    needs_dictionary: ClassVar[bool] = True
    dictionary_parameters: ClassVar[tuple[str, ...]] = ("size", "dictionary")
    dictionary_defaults: ClassVar[tuple[str, ...]] = ("w",)
    in_browsers: ClassVar[bool] = True

    epsilon: Decimal
    size: int
    w: int
    other: bool
    dictionary: str
    elements: tuple[str, ...] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact_epsilon("epsilon", self.epsilon))
        _check_size(self.size)
        most = min(MOST_CHOSEN, self.size - 1)
        if not 1 <= parse_integer("w", self.w) <= most:
            best = best_subset(float(self.epsilon), self.size)
            raise ParameterError(
                "w",
                f"w must be from 1 to {most} for a dictionary of {self.size}, not {shown(self.w)}; {best} is best.",
                w=self.w,
                size=self.size,
                most=most,
                best=best,
            )
        if not isinstance(self.other, bool):
            raise ParameterError("other", f"other must be true or false, not {shown(self.other)}.")
        if not _DIGEST.fullmatch(str(self.dictionary)):
            raise ParameterError(
                "dictionary", f"dictionary must be 32 lower-case hex digits, not {shown(self.dictionary)}."
            )

    @classmethod
    def of(
        cls, epsilon: Decimal | float, elements: Sequence[str], w: int | None = None, *, other: bool = False
    ) -> Self:
        """Return the mechanism of a dictionary, with the best w unless one is given."""
        exact, size = exact_epsilon("epsilon", epsilon), len(elements) + other
        _check_size(size)
        chosen = best_subset(float(exact), size) if w is None else w
        return cls(exact, size, chosen, other, dictionary_digest(elements)).with_dictionary(elements)

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object]) -> Self:
        check_names(parameters, (*cls.parameter_types, *cls.dictionary_parameters))
        epsilon = parse_epsilon("epsilon", parameters["epsilon"])
        size, w, other, dictionary = (parameters[name] for name in ("size", "w", "other", "dictionary"))
        return cls(epsilon, size, w, other, dictionary)  # type: ignore[arg-type]  # checked there

    def encoded_parameters(self) -> dict[str, int | float | str]:
        return {
            "epsilon": json_epsilon(self.epsilon),
            "size": self.size,
            "w": self.w,
            "other": self.other,
            "dictionary": self.dictionary,
        }

    @classmethod
    def for_dictionary(cls, parameters: Mapping[str, object], elements: Sequence[str] | None) -> dict[str, object]:
        other = parameters.get("other", False)
        if elements is None:
            # A digest of its own, so that drafts without a dictionary are not taken for each other.
            any_digest = f"{device_below(2**64):016x}{device_below(2**64):016x}"
            size, digest = MOST_ELEMENTS, any_digest
        else:
            size, digest = len(elements) + (other is True), dictionary_digest(elements)
        chosen = {"other": other, "size": size, "dictionary": digest, **parameters}
        if "w" in chosen:
            return chosen
        try:
            return {**chosen, "w": best_subset(float(parse_epsilon("epsilon", chosen.get("epsilon"))), size)}
        except ParameterError:
            # Said of ε, which is checked before w.
            return {**chosen, "w": 1}

    def with_dictionary(self, elements: Sequence[str]) -> Self:
        known = tuple(sorted(elements))
        if any(not element or "\n" in element for element in known) or len(set(known)) < len(known):
            raise ParameterError("dictionary", "Elements must differ, and none may be empty or have a line feed in it.")
        if (len(known) + self.other, dictionary_digest(known)) != (self.size, self.dictionary):
            raise ParameterError("dictionary", "These elements are not the dictionary that the parameters are of.")
        return type(self)(self.epsilon, self.size, self.w, self.other, self.dictionary, known)

    @property
    def counts_other(self) -> bool:
        return self.other

    def reports(self, element: str) -> bool:
        return self.other or element in self.places

    def index_of(self, element: str) -> int:
        """Return the number of an element; raise a ParameterError if it is not reported, or nothing is known of it."""
        place = self.places.get(element)
        if place is None and not self.other:
            raise ParameterError("element", "This element is not in the dictionary.")
        return self.size - 1 if place is None else place

    @property
    def divisions(self) -> int:
        return 1

    @property
    def own(self) -> float:
        """The probability p that the own element is in a subset."""
        return 1 - self.lie_threshold / 2**64

    @cached_property
    def lie_threshold(self) -> int:
        """The t below which a uniform 64-bit integer means to leave the own element out."""
        return lie_threshold(self.epsilon, self.w, self.size - self.w)

    @cached_property
    def places(self) -> dict[str, int]:
        """The numbers of the elements; raises a ParameterError if these were not given."""
        if self.elements is None:
            raise ParameterError("dictionary", "This takes the elements of the dictionary; give them.")
        return {element: place for place, element in enumerate(self.elements)}


def _check_size(size: object) -> None:
    number = parse_integer("size", size)
    if number < 2:
        words = f"There must be two elements at least, *anything else* included, not {number}."
        raise ParameterError("size", words, size=number)
    if number > MOST_ELEMENTS:
        raise ParameterError(
            "size",
            f"Subset selection takes {MOST_ELEMENTS} elements at most, *anything else* included, because devices are"
            f" given them all, not {shown(number)}. Leave out rare ones and count them as anything else, or count a"
            " larger dictionary with a sketch, such as CountMeanSketch.",
            size=number,
        )
