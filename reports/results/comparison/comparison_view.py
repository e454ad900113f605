"""Answering a query for a comparison: the rows to show, or the reason why there are none."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from reports.kinds import ByKind
from reports.models import Histogram, Run, UseCase, Version
from reports.publication import NotCounted
from reports.results.answers import pending_run
from reports.results.availability import State
from reports.results.caching import cached
from reports.results.comparison.comparison_document import comparison_document
from reports.results.comparison.comparison_rows import (
    FALSE_DISCOVERY_RATE,
    Compared,
    ComparisonRow,
    Verdict,
    sorted_rows,
)
from reports.results.comparison.counting_comparison import CountingSides
from reports.results.comparison.discovery_comparison import DiscoverySides
from reports.results.comparison.query import ComparisonQuery
from reports.results.comparison.sides import Side, Sides, asked_locales
from reports.results.histogram_rows import matches
from reports.results.names import element_name
from reports.results.versions import asked_versions, default_version


@dataclass(frozen=True)
class ComparisonView:
    """View of a comparison. `run` is the unfinished or failed run, if that is the latest: for owners."""

    use_case: UseCase
    version: Version | None
    query: ComparisonQuery
    state: State
    sides: tuple[Side, Side] | None = None
    compared: Compared | None = None
    # Rows that the query asks for, in its order.
    rows: tuple[ComparisonRow, ...] = ()
    # How many rows may be asked for, and how many of them are clearly more on either side.
    total: int = 0
    more_in_first: int = 0
    more_in_second: int = 0
    # The row with the largest difference among those that are clearly more on one side.
    leading: ComparisonRow | None = None
    # The number of rejected words, which are not shown here.
    hidden: int = 0
    run: Run | None = None
    # Elements of the dictionary that are not counted in all of both windows, and so are in no row.
    not_counted: tuple[NotCounted, ...] = ()

    @cached_property
    def default_version(self) -> Version | None:
        """The version that would be shown if the query named none."""
        return self.version if self.query.version is None else default_version(self.use_case)

    @property
    def spans_versions(self) -> bool:
        """Tell whether each side was counted by another version."""
        return self.sides is not None and self.sides[0].version != self.sides[1].version

    @property
    def histograms(self) -> tuple[Histogram, Histogram] | None:
        """The two that are compared, if they are."""
        if self.compared is None or self.sides is None:
            return None
        first, second = (side.histogram for side in self.sides)
        return None if first is None or second is None else (first, second)

    def exact(self) -> ComparisonQuery:
        """Exactly what is shown, said in full, so that it means the same when newer days have come."""
        if self.version is None or self.sides is None:
            return self.query
        first, second = (side.exact(self.version) for side in self.sides)
        return replace(self.query, first=first, second=second, version=self.version.number)

    def document(self) -> dict[str, Any] | None:
        """Return the data shown, ready to be written as JSON or CSV; None if nothing is compared."""
        if self.version is None or self.compared is None or self.histograms is None:
            return None
        return comparison_document(
            self.version, *self.histograms, self.compared, self.rows, self.total, self.not_counted
        )


SIDES: Final = ByKind[type[Sides]](counting=CountingSides, discovery=DiscoverySides)


def comparison_view(
    use_case: UseCase, query: ComparisonQuery, fdr: float = FALSE_DISCOVERY_RATE, *, results: bool = True
) -> ComparisonView:
    """Find what a query means. `fdr` is for those who make several comparisons and tell of them together.

    Without `results` it is only what there is to choose from, of which nothing is computed.

    Raises `NotInVersion` for what this version does not have, and `QueryError` for what no version has.
    """
    versions = asked_versions(use_case, query.version)
    if not versions:
        return ComparisonView(use_case, None, query, State.NOT_YET)
    version, *others = versions
    kind = SIDES.of(version)
    locales = asked_locales(version, query)
    kind.check(query)
    asked = (Side(locales[0], query.first, version), Side(locales[1], query.second, version))
    view = ComparisonView(use_case, version, query, State.NOT_YET, asked, run=pending_run(version))
    if not results:
        return view
    comparing = kind(version, others, locales)
    sides = comparing.answer(query)
    first, second = (side.histogram for side in sides)
    if first is not None and second is not None and sides[0].version == sides[1].version != version:
        # Both windows are those of another version: it is as if it had been asked for.
        return comparison_view(use_case, replace(query, version=sides[0].version.number), fdr)
    view = replace(view, sides=sides)
    if first is None or second is None:
        return replace(view, state=next(side.state for side in sides if side.histogram is None))
    if first.locale == second.locale and first.made_of == second.made_of:
        return replace(view, state=State.SAME_REPORTS)
    if first.alpha != second.alpha:
        return replace(view, state=State.OTHER_RULES)
    first.version, second.version = (side.version for side in sides)
    key = f"{first.pk}:{second.pk}:{fdr}"
    found = cached(use_case, "comparison", key, lambda: comparing.compare(*sides, fdr))
    if found is None:
        return replace(view, state=State.NOT_KEPT)
    allowed = comparing.allowed(found.rows)
    clear = [row for row in allowed if row.verdict in (Verdict.MORE_IN_FIRST, Verdict.MORE_IN_SECOND)]
    return replace(
        view,
        state=State.SHOWN if found.rows else State.NONE_ABOVE,
        compared=found,
        rows=_asked_for(version, allowed, query),
        total=len(allowed),
        more_in_first=sum(row.verdict == Verdict.MORE_IN_FIRST for row in allowed),
        more_in_second=sum(row.verdict == Verdict.MORE_IN_SECOND for row in allowed),
        leading=next(iter(sorted_rows(clear, "difference")), None),
        hidden=len(found.rows) - len(allowed),
        not_counted=comparing.not_counted(*sides),
    )


def _asked_for(version: Version, rows: list[ComparisonRow], query: ComparisonQuery) -> tuple[ComparisonRow, ...]:
    """The top N of those that match the search. Sorted by name they are those with the largest differences."""
    if query.search:
        rows = [row for row in rows if matches(version, row.element, row.display, query.search)]
    order = query.sort.removeprefix("-")
    turned = query.sort.startswith("-")
    if order == "name":
        chosen = sorted_rows(rows, "difference")[: query.top]
        chosen.sort(key=lambda row: ((element_name(version, row.display) or row.display).casefold(), row.element))
        return tuple(chosen[::-1] if turned else chosen)
    ordered = sorted_rows(rows, order)
    return tuple((ordered[::-1] if turned else ordered)[: query.top])
