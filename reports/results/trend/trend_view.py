"""Elements of a locale over days: one view for page, exports and API."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from django.db.models import Q

from reports.kinds import kind_of
from reports.models import Annotation, UseCase, Version
from reports.results.availability import State
from reports.results.counted import Span
from reports.results.trend.choice import chosen
from reports.results.trend.mover import Changes, Mover, changes_of, mover_of
from reports.results.trend.points import Series, series_of
from reports.results.trend.query import TrendQuery
from reports.results.trend.trend_kinds import TRENDS
from reports.results.trend.trend_windows import Slot, SlotState
from reports.results.trend.versions_beside import slots_of, span_of
from reports.results.versions import address_locale, asked_versions, check_locale, default_version


@dataclass(frozen=True)
class TrendView:
    """View of a query."""

    use_case: UseCase
    version: Version | None
    query: TrendQuery
    locale: str
    step: int
    weeks_if_noisy: bool = False
    first: datetime.date | None = None
    last: datetime.date | None = None
    slots: tuple[Slot, ...] = ()
    series: tuple[Series, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    # All days that something is shown of.
    span: Span | None = None
    # The element that stands beside the largest by default: the last of the series.
    mover: Mover | None = None

    @property
    def is_empty(self) -> bool:
        """Tell whether no window has anything to show."""
        return all(slot.histogram is None for slot in self.slots)

    @property
    def state(self) -> State:
        """Reason why nothing is shown, if so."""
        if not self.is_empty:
            return State.SHOWN
        return State.OTHER_VERSION if self.counted_elsewhere else TRENDS.of(self.version).nothing_shown

    @property
    def counted_elsewhere(self) -> list[Slot]:
        """Counts of other versions in place of the one looked at, made in another way."""
        return [slot for slot in self.slots if slot.state == SlotState.OTHER_VERSION]

    @cached_property
    def default_version(self) -> Version | None:
        """The version that would be shown if the query named none."""
        return self.version if self.query.version is None else default_version(self.use_case)

    @cached_property
    def changes(self) -> Changes:
        """Changes from the first windows of the version that is looked at to the last."""
        if self.version is None:
            return Changes(0, {})
        return changes_of(self.version, self.locale, _own(self.version, self.slots))

    def usual_step(self, *, has_window: bool) -> int:
        """The step that is taken if an address of this version and locale names none, whether it names days or not."""
        if has_window:
            return 1 if self.version is None else kind_of(self.version).step
        return self.opening_step

    @cached_property
    def opening_step(self) -> int:
        """The step in which it opens, if no days are chosen."""
        if self.version is None:
            return 1
        trend = TRENDS.of(self.version)
        return trend.opening_step(self.version, self.locale, self.span, weeks_if_noisy=self.weeks_if_noisy)

    def exact(self) -> TrendQuery:
        """Exactly what is shown, said in full, so that it means the same when newer days have come."""
        if self.version is None:
            return self.query
        return replace(
            self.query,
            locale=address_locale(self.version, self.locale),
            elements=tuple(series.element.text for series in self.series),
            first=self.first,
            last=self.last,
            days=None,
            step=self.step,
            version=self.version.number,
        )


def trend_view(
    use_case: UseCase,
    query: TrendQuery,
    *,
    with_rejected: bool = False,
    results: bool = True,
    weeks_if_noisy: bool = False,
) -> TrendView:
    """Find what a query means; words that were rejected only for those who may decide about them.

    Without `results` it is only what there is to choose from, of which nothing is computed. With `weeks_if_noisy` a
    query without days and step means weeks where days are noisy.

    Raises `NotInVersion` for what this version does not have, and `QueryError` for what no version has.
    """
    versions = asked_versions(use_case, query.version)
    if not versions:
        return TrendView(use_case, None, query, "", query.step or 1)
    version, *others = versions
    locale = query.locale or version.locales[0]
    check_locale(version, locale)
    trend = TRENDS.of(version)
    elements = chosen(version, locale, query.elements, with_rejected=with_rejected) if results else []
    span = span_of(version, others, [locale])
    if query.step is None and not query.has_window:
        weeks = trend.opening_step(version, locale, span, weeks_if_noisy=weeks_if_noisy) == 7
        query = replace(query, step=7) if weeks else query
    step = query.step or kind_of(version).step
    if span is None or not results:
        return TrendView(use_case, version, query, locale, step, weeks_if_noisy, span=span)
    slots, first, last = slots_of(version, others, [locale], query, span, step)
    mover = None if query.elements else mover_of(version, locale, _own(version, slots[locale]), elements)
    if mover is not None:
        elements = [*elements, mover.element]
    return TrendView(
        use_case=use_case,
        version=version,
        query=query,
        locale=locale,
        step=step,
        weeks_if_noisy=weeks_if_noisy,
        first=first,
        last=last,
        slots=tuple(slots[locale]),
        series=series_of(elements, slots),
        annotations=annotations_of(use_case, first, last),
        span=span,
        mover=mover,
    )


def _own(version: Version, slots: Iterable[Slot]) -> list[Slot]:
    # By their keys: there may be hundreds.
    return [slot for slot in slots if slot.version.id == version.id]


def annotations_of(use_case: UseCase, first: datetime.date, last: datetime.date) -> tuple[Annotation, ...]:
    """Return what was written about these days, of the use case or of all."""
    found = Annotation.objects.filter(Q(use_case=use_case) | Q(use_case=None), day__range=(first, last))
    return tuple(found.order_by("day", "pk"))
