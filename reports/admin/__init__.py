"""The stock admin: where use cases are configured, batches withdrawn, runs started, and everything is looked at."""

from reports.admin import (
    budgets,
    deletions,
    dictionaries,
    histograms,
    operations,
    tokens,
    use_cases,
    versions,
    viewings,
    words,
)

__all__ = [
    "budgets",
    "deletions",
    "dictionaries",
    "histograms",
    "operations",
    "tokens",
    "use_cases",
    "versions",
    "viewings",
    "words",
]
