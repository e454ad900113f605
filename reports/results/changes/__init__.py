"""Changes from one window to the next, in all locales of a use case."""

from reports.results.changes.change_rows import Change, ChangeRow
from reports.results.changes.changes_document import CHANGE_FIELDS, changes_document, changes_table
from reports.results.changes.changes_view import ChangesView, changes_view
from reports.results.changes.pairs import Asked, Newest, Pair, find_pairs, newest_of_locales
from reports.results.changes.query import ChangesQuery
from reports.results.changes.since_before import SinceBefore, since_before
from reports.results.changes.site_changes import UseCaseChanges, clear_changes_of, count_clear_changes, site_changes
from reports.results.changes.site_changes_document import (
    SITE_CHANGE_FIELDS,
    site_changes_document,
    site_changes_table,
)
