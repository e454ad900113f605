"""All locales of a use case at once: the top of each, and what stands out in one against the others."""

from reports.results.locales_together.cells import Cell, CellState, OfElement, Standing
from reports.results.locales_together.locales_document import CELL_FIELDS, locales_document, locales_table
from reports.results.locales_together.locales_view import LocalesView, locales_view
from reports.results.locales_together.query import USUAL_TOP, LocalesQuery
