"""Answering what all locales have at once, or why there is nothing."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property, partial

from reports.kinds import kind_of
from reports.models import UseCase, Version, WordDecision
from reports.publication import Days
from reports.results.availability import State
from reports.results.changes import Newest, newest_of_locales
from reports.results.histogram_rows import matches
from reports.results.locales_together.cells import OfElement, together
from reports.results.locales_together.query import USUAL_TOP, LocalesQuery
from reports.results.names import element_name, unpadded
from reports.results.versions import asked_versions, check_locale, default_version


@dataclass(frozen=True)
class LocalesView:
    """The top of each locale, and the same elements in all the others."""

    use_case: UseCase
    version: Version | None
    query: LocalesQuery
    state: State
    # The days that are meant for all locales.
    days: Days | None = None
    # All of the version, in its order.
    locales: tuple[Newest, ...] = ()
    # The largest first.
    elements: tuple[OfElement, ...] = ()
    tested: int = 0
    listed: int = 0
    # The number of all elements that are listed anywhere.
    standing_out: int = 0

    @property
    def top(self) -> int:
        return self.query.top or USUAL_TOP

    @property
    def shown(self) -> list[Newest]:
        return [newest for newest in self.locales if newest.listed is not None]

    @cached_property
    def rows(self) -> list[OfElement]:
        """The elements that are asked for, in the order that is asked for."""
        version, query, found = self.version, self.query, list(self.elements)
        if version is None:
            return []
        if query.locale is not None:
            found = [each for each in found if each.is_in_top(query.locale, self.top)]
        if query.search:
            found = [each for each in found if matches(version, each.element, each.entry.display, query.search)]
        if self.order == "name":
            found.sort(key=partial(_called, version), reverse=self.is_turned)
        elif self.order:
            found.sort(key=lambda each: each.share_in(self.order), reverse=not self.is_turned)
        return found

    @property
    def order(self) -> str:
        """ "name" or a locale; empty for the largest share anywhere."""
        return (self.query.sort or self.query.locale or "").removeprefix("-")

    @property
    def is_turned(self) -> bool:
        return (self.query.sort or "").startswith("-")

    @cached_property
    def default_version(self) -> Version | None:
        """The version that would be shown if the query named none."""
        return self.version if self.query.version is None else default_version(self.use_case)

    def exact(self) -> LocalesQuery:
        """Exactly what is shown, said in full, so that it means the same when newer days have come."""
        if self.version is None or self.days is None:
            return self.query
        first = self.days[0] if kind_of(self.version).has_dictionary else None
        return replace(self.query, first=first, last=self.days[1], days=None, version=self.version.number)


def locales_view(use_case: UseCase, query: LocalesQuery) -> LocalesView:
    """Find what a query means.

    Raises `NotInVersion` for what this version does not have, and `QueryError` for what no version has.
    """
    version = next(iter(asked_versions(use_case, query.version)), None)
    if version is None:
        return LocalesView(use_case, None, query, State.NOT_YET)
    days, locales = newest_of_locales(version, query)
    for field, order in (("locale", query.locale), ("sort", (query.sort or "").removeprefix("-"))):
        if order and (field, order) != ("sort", "name"):
            check_locale(version, order, field)
    view = LocalesView(use_case, version, query, State.NOT_YET, days, tuple(locales))
    if not view.shown:
        return view
    found = together(version, locales, view.top)
    elements = found.elements
    if not kind_of(version).has_dictionary:
        rejected = _rejected(use_case, [unpadded(version, each.element) for each in elements])
        elements = tuple(each for each in elements if unpadded(version, each.element) not in rejected)
    return replace(
        view,
        state=State.SHOWN if elements else State.NONE_ABOVE,
        elements=elements,
        tested=found.tested,
        listed=found.listed,
        standing_out=found.standing_out,
    )


def _called(version: Version, each: OfElement) -> str:
    return (element_name(version, each.entry.display) or each.entry.display).casefold()


def _rejected(use_case: UseCase, words: Collection[str]) -> set[str]:
    """Return those of the words that were rejected in some locale: there the newest decision counts."""
    decisions = WordDecision.objects.filter(use_case=use_case, word__in=words)
    newest = decisions.order_by("locale", "word", "-pk").distinct("locale", "word")
    rejected = WordDecision.Verdict.REJECTED
    return {word for word, verdict in newest.values_list("word", "verdict") if verdict == rejected}
