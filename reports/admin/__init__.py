"""The stock admin: where use cases are configured, batches withdrawn, runs started, and everything is looked at."""

from reports.admin import budgets, dictionaries, operations, use_cases, versions

__all__ = ["budgets", "dictionaries", "operations", "use_cases", "versions"]
