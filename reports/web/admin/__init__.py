"""The stock admin: where use cases are configured, batches withdrawn, runs started, and everything is looked at."""

from reports.web.admin import (
    budgets,
    deletions,
    dictionary_revisions,
    operations,
    tokens,
    use_cases,
    versions,
    viewing_log,
    word_decisions,
    word_lists,
)

__all__ = [
    "budgets",
    "deletions",
    "dictionary_revisions",
    "operations",
    "tokens",
    "use_cases",
    "versions",
    "viewing_log",
    "word_decisions",
    "word_lists",
]
