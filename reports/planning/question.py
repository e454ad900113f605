"""Question of a planner: what is to be collected."""

from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from aggregation.mechanisms import MECHANISMS


@dataclass(frozen=True)
class Question:
    """The figures of a plan; what is left out has the value that most use cases begin with."""

    # Privacy loss of one report.
    epsilon: Decimal = Decimal(4)
    # Share, in percent, that is to be seen 9 times of 10: ε is then as small as it can be for that (`for_share`).
    share: Decimal | None = None
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
    # Reports a device may send a day.
    limit: int = 1
    # Days raw reports are kept.
    retention: int = 90
    # In reports of the window: nothing below is shown; None: only the statistical threshold.
    prescribed_threshold: int | None = None

    @property
    def reports(self) -> int:
        """Reports of the whole window."""
        return self.n * self.days

    @property
    def algorithms(self) -> list[str]:
        return [self.algorithm] if self.algorithm else list(MECHANISMS)

    def parameters(self) -> dict[str, str]:
        """Return the parameters of an address: without what is as usual, and without an ε that is looked for."""
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        usual = {field.name: field.default for field in fields(self)}
        if self.share is not None:
            del values["epsilon"]
        return {name: _written(value) for name, value in values.items() if value != usual[name] and value is not None}


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "on"
    return f"{value.normalize():f}" if isinstance(value, Decimal) else str(value)
