"""Findings of tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .tails import Count, most_surprising


@dataclass(frozen=True)
class Finding:
    """Outcome of a test of records.

    Parameters
    ----------
    test : str
        Name of the test, as it is stored and put into words.
    stream : str
        The stream it looked at; empty if at several.
    p_value : float
        The chance that honest records look like this, at most; whatever elements they are about. Of a finding that
        `screen` returns: in any test of any stream.
    facts : mapping of str to float
        What was seen and what was expected, by name.
    """

    test: str
    stream: str
    p_value: float
    facts: Mapping[str, float] = field(default_factory=dict)


def of_counts(test: str, stream: str, counts: list[Count]) -> Finding:
    """Return the outcome of a test that looks at many counts for one that is surprisingly large."""
    most = most_surprising(counts)
    if most is None:
        return Finding(test, stream, 1.0)
    return Finding(test, stream, most.chance(), most.facts)
