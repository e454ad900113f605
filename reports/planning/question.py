"""Question of a planner: what is to be collected."""

from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from aggregation.mechanisms import MECHANISMS
from reports.kinds import kind_of_algorithm

# The one of the figures that follows from the others, and `solve` finds; none if all are given.
Found: TypeAlias = Literal["share", "epsilon", "n", ""]
# A day, and of a window: the arithmetic of thresholds is exact up to here.
MOST_A_DAY: Final = 10**9
MOST_REPORTS: Final = 10**11


@dataclass(frozen=True)
class Question:
    """The figures of a plan; what is left out has the value that most use cases begin with."""

    # Privacy loss of one report.
    epsilon: Decimal = Decimal(4)
    # Share, in percent, that is to be seen; None if the smallest one is looked for.
    share: Decimal | None = None
    # How probably it is to be seen.
    probability: Decimal = Decimal("0.9")
    # Reports a day, of one locale.
    n: int = 100_000
    # Days that are counted together.
    days: int = 1
    # How many elements the dictionary has, or how many different words people use.
    size: int = 2600
    # Whether nothing outside the dictionary can be reported.
    complete: bool = False
    # How fast frequencies fall from rank to rank: s of a law of Zipf.
    exponent: Decimal = Decimal(1)
    # One algorithm, or all of them.
    algorithm: str = ""
    # Buckets and hash functions, buckets of local hashing, elements of a subset; None: as many as are suggested.
    m: int | None = None
    k: int | None = None
    g: int | None = None
    w: int | None = None
    # Whether words are found that no dictionary has: only mechanisms that do are asked then, and all without it.
    words: bool = False
    # Reports a device may send a day.
    limit: int = 1
    # Days raw reports are kept.
    retention: int = 90
    # In reports of the window: nothing below is shown; None: only the statistical threshold.
    prescribed_threshold: int | None = None
    find: Found = "share"

    @property
    def reports(self) -> int:
        """Reports of the whole window."""
        return self.n * self.days

    @property
    def algorithms(self) -> list[str]:
        if self.algorithm:
            return [self.algorithm]
        return [name for name in MECHANISMS if not (self.words and kind_of_algorithm(name).has_dictionary)]

    def parameters(self) -> dict[str, str]:
        """Return the parameters of an address: without what is as usual, and without what is looked for.

        With a share, ε and the reports are there unless they are looked for, also where they are as usual.
        """
        named = {"epsilon", "n"} if self.share is not None else set()
        return {
            field.name: _written(value)
            for field in fields(self)
            if field.name not in ("find", self.find)
            and (value := getattr(self, field.name)) is not None
            and (value != field.default or field.name in named)
        }


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "on"
    return f"{value.normalize():f}" if isinstance(value, Decimal) else str(value)
