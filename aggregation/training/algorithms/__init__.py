"""Algorithms of private training, and the one that a task names."""

from .base import (
    Algorithm,
    Contribution,
    Examples,
    InvalidContribution,
    Release,
    Shape,
    Shared,
    Sums,
    broadcast_of,
    rows_needed,
)
from .registry import algorithm_for

__all__ = [
    "Algorithm",
    "Contribution",
    "Examples",
    "InvalidContribution",
    "Release",
    "Shape",
    "Shared",
    "Sums",
    "algorithm_for",
    "broadcast_of",
    "rows_needed",
]
