"""Clear changes in all use cases, as a document and as a table, unrounded."""

from collections.abc import Sequence
from typing import Any, Final

from reports.results.changes.changes_document import CHANGE_FIELDS, change_entry, days_document
from reports.results.changes.site_changes import UseCaseChanges
from reports.results.comparison import FALSE_DISCOVERY_RATE
from reports.results.provenance import CONFIDENCE, provenance
from reports.results.tables import Table, table

# Each row says of which use case it is, and its windows.
_WINDOWS: Final = ("now_first_day", "now_last_day", "before_first_day", "before_last_day")
SITE_CHANGE_FIELDS: Final = ("use_case", "version", *_WINDOWS, *CHANGE_FIELDS)


def site_changes_document(found: Sequence[UseCaseChanges]) -> dict[str, Any]:
    """Return all clear changes, ready to be written as JSON."""
    return {
        "confidence": CONFIDENCE,
        "false_discovery_rate": FALSE_DISCOVERY_RATE,
        "tested": sum(each.tested for each in found),
        "clear": sum(len(each.clear) for each in found),
        "use_cases": [_use_case(each) for each in found],
        "entries": [entry for each in found for entry in _entries(each)],
    }


def _use_case(found: UseCaseChanges) -> dict[str, Any]:
    """Describe a use case that was compared, also without any clear change."""
    return {
        **{name: value for name, value in provenance(found.version).items() if name != "confidence"},
        "now": days_document(found.now),
        "before": days_document(found.before),
        "tested": found.tested,
        "clear": len(found.clear),
    }


def _entries(found: UseCaseChanges) -> list[dict[str, Any]]:
    days = (*found.now, *found.before)
    common = {
        "use_case": found.version.use_case.slug,
        "version": found.version.number,
        **{name: day.isoformat() for name, day in zip(_WINDOWS, days, strict=True)},
    }
    return [common | change_entry(found.version, row) for row in found.clear]


def site_changes_table(document: dict[str, Any]) -> Table:
    """Return a line for each clear change."""
    return table(document, "entries", SITE_CHANGE_FIELDS, left_out=("use_cases",))
