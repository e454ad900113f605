"""The stock admin: where use cases are configured, batches withdrawn, runs started, and everything is looked at."""

from reports.admin import budgets, dictionaries, histograms, operations, use_cases, versions, words

__all__ = ["budgets", "dictionaries", "histograms", "operations", "use_cases", "versions", "words"]
