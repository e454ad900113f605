"""Answering a query for a comparison: the rows to show, or the reason why there are none."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from aggregation.mechanisms import SequenceFragmentPuzzle
from reports.models import Histogram, Run, UseCase, Version, WordDecision
from reports.publication import NotCounted, not_counted_in, periods_of
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
from reports.results.comparison.counts import compare_elements
from reports.results.comparison.query import ComparisonQuery
from reports.results.comparison.sides import Side, asked_sides, find_sides
from reports.results.comparison.word_comparison import compare_words
from reports.results.histogram_rows import matches
from reports.results.names import element_name, unpadded
from reports.results.versions import asked_version, default_version
from reports.words import newest_decisions


@dataclass(frozen=True)
class ComparisonView:
    """View of a comparison. `run` is the unfinished or failed run, if that is the latest: for owners."""

    use_case: UseCase
    version: Version | None
    query: ComparisonQuery
    state: State
    sides: tuple[Side, Side] | None = None
    compared: Compared | None = None
    # Those that the query asks for, in its order.
    rows: tuple[ComparisonRow, ...] = ()
    # Of all rows that may be asked for, how many there are, and how many are clearly more on either side.
    total: int = 0
    more_in_first: int = 0
    more_in_second: int = 0
    # Words that were rejected, which nobody is shown here.
    hidden: int = 0
    run: Run | None = None
    # Elements of the dictionary that are not counted in all of both windows, and so are in no row.
    not_counted: tuple[NotCounted, ...] = ()

    @property
    def discovery(self) -> SequenceFragmentPuzzle | None:
        return self.version.discovery if self.version is not None else None

    @cached_property
    def default_version(self) -> Version | None:
        """The version that would be shown if the query named none."""
        return self.version if self.query.version is None else default_version(self.use_case)

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


def comparison_view(
    use_case: UseCase, query: ComparisonQuery, fdr: float = FALSE_DISCOVERY_RATE, *, results: bool = True
) -> ComparisonView:
    """Find what a query means. `fdr` is for those who make several comparisons and tell of them together.

    Without `results` it is only what there is to choose from, of which nothing is computed.

    Raises `NotInVersion` for what this version does not have, and `QueryError` for what no version has.
    """
    version = asked_version(use_case, query.version)
    if version is None:
        return ComparisonView(use_case, None, query, State.NOT_YET)
    version.use_case = use_case
    run = version.runs.select_related("version").first()
    if run is not None and run.state == Run.State.FINISHED:
        run = None  # what it found is there, and it will find no more
    if not results:
        return ComparisonView(use_case, version, query, State.NOT_YET, asked_sides(version, query), run=run)
    sides = find_sides(version, query)
    first, second = (side.histogram for side in sides)
    missing = next((side.state for side in sides if side.histogram is None), None)
    if first is None or second is None:
        return ComparisonView(use_case, version, query, missing or State.NOT_YET, sides, run=run)
    if first.locale == second.locale and first.made_of == second.made_of:
        return ComparisonView(use_case, version, query, State.SAME_REPORTS, sides, run=run)
    if first.alpha != second.alpha:
        return ComparisonView(use_case, version, query, State.OTHER_RULES, sides, run=run)
    first.version = second.version = version
    found = _compared(version, sides, fdr)
    if found is None:
        return ComparisonView(use_case, version, query, State.NOT_KEPT, sides, run=run)
    allowed = _allowed(version, found, first.locale, second.locale)
    return ComparisonView(
        use_case,
        version,
        query,
        State.SHOWN if found.rows else State.NONE_ABOVE,
        sides,
        found,
        _asked_for(version, allowed, query),
        len(allowed),
        sum(row.verdict == Verdict.MORE_IN_FIRST for row in allowed),
        sum(row.verdict == Verdict.MORE_IN_SECOND for row in allowed),
        len(found.rows) - len(allowed),
        run,
        _not_counted(version, sides),
    )


def _compared(version: Version, sides: tuple[Side, Side], fdr: float) -> Compared | None:
    """Compare two windows by the same α; None if the sketches that words were read out of are not kept."""
    mechanism = version.discovery
    first, second = (side.histogram for side in sides)
    if first is None or second is None:
        return None

    def compute() -> Compared | None:
        if mechanism is not None:
            return compare_words(version, mechanism, first, second, fdr)
        windows = [side.window for side in sides]
        if first.revision is None or windows[0] is None or windows[1] is None:
            return None
        return compare_elements(version, first.revision, windows[0], windows[1], fdr)

    return cached(version.use_case, "comparison", f"{first.pk}:{second.pk}:{fdr}", compute)


def _not_counted(version: Version, sides: tuple[Side, Side]) -> tuple[NotCounted, ...]:
    """The elements that either side does not count in all of it: nothing is said of their differences."""
    revision = version.current_dictionary()
    windows = [side.window for side in sides if side.window is not None]
    if revision is None or all(window.revisions <= {revision.pk} for window in windows):
        return ()
    found: dict[str, NotCounted] = {}
    periods = periods_of(version, {window.locale for window in windows})
    for window in windows:
        for each in not_counted_in(window, periods[window.locale], revision):
            other = found.get(each.element, each)
            since = None if each.since is None or other.since is None else max(each.since, other.since)
            found[each.element] = each._replace(since=since)
    return tuple(found.values())


def _allowed(version: Version, found: Compared, *locales: str) -> list[ComparisonRow]:
    """Return the rows without words that owners rejected in one of the locales."""
    if version.discovery is None:
        return list(found.rows)
    rejected = {
        word
        for locale in set(locales)
        for word, decision in newest_decisions(version.use_case, locale).items()
        if decision.verdict == WordDecision.Verdict.REJECTED
    }
    return [row for row in found.rows if unpadded(version, row.element) not in rejected]


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
