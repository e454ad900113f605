"""Sentences for the names of faults."""

from collections.abc import Mapping
from typing import Final

from ..registry import Mechanism, part_of

REPEATED: Final = "repeated records"
# Faults that reports of any mechanism may have.
COMMON_FAULTS: Final[Mapping[str, str]] = {
    REPEATED: "the same record comes more than once",
    "dependent reports": "a report depends on the one before",
    "replayed": "two clients that were started anew draw the same",
    "rows": "rows are not uniform, or depend on the element",
    "rate in a row": "flips are not as frequent in every row or coordinate as ε says",
}


def failed(checks: Mapping[str, bool]) -> set[str]:
    """Return the names of the checks that do not hold."""
    return {name for name, holds in checks.items() if not holds}


def sentence(mechanism: Mechanism, fault: str) -> str:
    """Return a fault of reports of the mechanism in words."""
    return {**COMMON_FAULTS, **part_of(mechanism, "audit").FAULTS}[fault]
