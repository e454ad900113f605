"""Findings of tests."""

from ..registry import Finding
from .tails import Count, most_surprising


def of_counts(test: str, stream: str, counts: list[Count]) -> Finding:
    """Return the outcome of a test that looks at many counts for one that is surprisingly large."""
    most = most_surprising(counts)
    if most is None:
        return Finding(test, stream, 1.0)
    return Finding(test, stream, most.chance(), most.facts)
