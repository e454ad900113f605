"""What changed from one window to the next, in all locales of a use case."""

from reports.results.changes.change_rows import Change, ChangeRow, judged
from reports.results.changes.changes_document import CHANGE_FIELDS, changes_document, changes_table
from reports.results.changes.changes_view import ChangesView, changes_view
from reports.results.changes.pairs import Pair
from reports.results.changes.query import USUAL_DAYS, ChangesQuery

__all__ = [
    "CHANGE_FIELDS",
    "USUAL_DAYS",
    "Change",
    "ChangeRow",
    "ChangesQuery",
    "ChangesView",
    "Pair",
    "changes_document",
    "changes_table",
    "changes_view",
    "judged",
]
