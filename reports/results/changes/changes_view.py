"""Answering what changed in a use case: the rows of all locales, or why there are none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from reports.kinds import kind_of
from reports.models import UseCase, Version
from reports.publication import Days
from reports.results.availability import State
from reports.results.caching import cached
from reports.results.changes.change_rows import Change, ChangeRow, judged, ordered, rows_of_each
from reports.results.changes.pairs import Asked, Pair, find_pairs
from reports.results.changes.query import ChangesQuery
from reports.results.changes.rejected import without_rejected
from reports.results.versions import asked_versions, check_locale, default_version


@dataclass(frozen=True)
class ChangesView:
    """Changes between two windows, by locale."""

    use_case: UseCase
    version: Version | None
    query: ChangesQuery
    state: State
    # The days that are meant for all locales: the newer window, and the one before.
    now: Days | None = None
    before: Days | None = None
    pairs: tuple[Pair, ...] = ()
    # All, but for words that were rejected; the clear ones first.
    all_rows: tuple[ChangeRow, ...] = ()
    hidden: int = 0

    @property
    def rows(self) -> Sequence[ChangeRow]:
        """Rows that the query asks for."""
        return self.all_rows[: self.query.top]

    @property
    def tested(self) -> int:
        return len(self.all_rows) + self.hidden

    @cached_property
    def clear(self) -> list[ChangeRow]:
        return [row for row in self.all_rows if row.is_clear]

    @cached_property
    def default_version(self) -> Version | None:
        """The version that would be shown if the query named none."""
        return self.version if self.query.version is None else default_version(self.use_case)

    @property
    def compared(self) -> list[Pair]:
        """The locales of which both windows are published."""
        return [pair for pair in self.pairs if pair.now is not None and pair.before is not None]

    def count(self, change: Change) -> int:
        return sum(row.change == change for row in self.all_rows)

    def exact(self) -> ChangesQuery:
        """Exactly what is shown, said in full, so that it means the same when newer days have come."""
        if self.version is None or self.now is None:
            return self.query
        first = self.now[0] if kind_of(self.version).has_dictionary else None
        return replace(self.query, first=first, last=self.now[1], days=None, version=self.version.number)


def changes_view(use_case: UseCase, query: ChangesQuery) -> ChangesView:
    """Find what a query means.

    Raises `NotInVersion` for what this version does not have, and `QueryError` for what no version has.
    """
    versions = asked_versions(use_case, query.version)
    if not versions:
        return ChangesView(use_case, None, query, State.NOT_YET)
    version, *others = versions
    if query.locale is not None:
        check_locale(version, query.locale)
    locales = version.locales if query.locale is None else [query.locale]
    (found,) = find_pairs([Asked(version, others, locales)], query)
    view = ChangesView(use_case, version, query, State.NOT_YET, found.now, found.before, found.of_locales)
    if all(pair.now_days is None for pair in view.pairs):
        return view
    if not view.compared:
        return replace(view, state=State.NOTHING_BEFORE)
    # Words that were rejected are tested with the others: which are shown must not change what is clear.
    key = ":".join(str(each.histogram.pk) for pair in view.compared for each in (pair.now, pair.before) if each)
    rows = cached(use_case, "changed", key, lambda: _rows(view.compared))
    allowed = without_rejected({version: rows})[version]
    return replace(
        view,
        state=State.SHOWN if rows else State.NONE_ABOVE,
        all_rows=tuple(allowed),
        hidden=len(rows) - len(allowed),
    )


def _rows(pairs: Sequence[Pair]) -> list[ChangeRow]:
    return ordered(judged([row for rows in rows_of_each(pairs) for row in rows]))
