"""Everything that is published about one element: all locales, all days."""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.kinds import kind_of
from reports.models import Annotation, UseCase, Version
from reports.results.counted import Span
from reports.results.element.element_facts import SIGHTINGS, Sighting, variants_of
from reports.results.provenance import other_versions, provenance
from reports.results.trend import (
    MOST_WINDOWS,
    TRENDS,
    Element,
    Point,
    Series,
    Slot,
    TrendQuery,
    annotations_of,
    find_elements,
    newest_of,
    not_counted_elements,
    point_document,
    series_of,
    slots_of,
    span_of,
)
from reports.results.versions import asked_versions, default_version

# To compare one with another.
FEWEST_LOCALES = 4
WEEK = 7


@dataclass(frozen=True)
class LocaleResult:
    """The element in the newest window of a locale."""

    locale: str
    slot: Slot
    point: Point

    @property
    def share(self) -> float | None:
        if self.point.numbers is None or self.slot.histogram is None:
            return None
        return self.point.numbers.estimate / self.slot.histogram.n

    @property
    def order(self) -> tuple[bool, float, bool, str]:
        """The largest share first, then what is below its threshold, then those of which nothing is published."""
        return self.share is None, -(self.share or 0.0), self.slot.histogram is None, self.locale


@dataclass(frozen=True)
class ElementView:
    use_case: UseCase
    version: Version
    # The one that is looked at first if the query names none.
    default: Version | None
    element: Element
    query: TrendQuery
    step: int
    # That of a query for these days that names none.
    usual_step: int
    # All locales, in their order.
    newest: tuple[LocaleResult, ...]
    # Series of the locales over days, or of the first of them; none if nothing is counted.
    series: tuple[Series, ...]
    first: datetime.date | None
    last: datetime.date | None
    annotations: tuple[Annotation, ...]
    # Other emoji of the same form, for an emoji.
    variants: tuple[Element, ...]
    # By locale, of words.
    sightings: Mapping[str, Sighting]
    # All days that any of the locales has counts of.
    span: Span | None

    @property
    def is_below_everywhere(self) -> bool:
        return all(result.share is None for result in self.newest)

    @property
    def is_empty(self) -> bool:
        """Tell whether no window of any locale is published."""
        return all(result.slot.histogram is None for result in self.newest)

    @property
    def slots(self) -> Iterator[Slot]:
        """All windows shown: the newest of each locale, and those over days."""
        yield from (result.slot for result in self.newest)
        for series in self.series:
            yield from series.slots

    def exact(self) -> TrendQuery:
        """Exactly what is shown, said in full, so that it means the same when newer days have come."""
        return TrendQuery(
            elements=(self.element.text,),
            first=self.first,
            last=self.last,
            step=self.step,
            version=self.version.number,
        )

    def newest_document(self) -> dict[str, Any] | None:
        """The newest window of each locale, the largest share first; None if nothing is published."""
        if self.is_empty:
            return None
        others = other_versions(self.version, (result.slot.version for result in self.newest))
        return {**provenance(self.version), "other_versions": others, "points": self._newest_points()}

    def _newest_points(self) -> list[dict[str, Any]]:
        return [
            {"locale": result.locale, **point_document(self.element, result.slot, result.point)}
            # No window, no days.
            | ({} if result.slot.histogram is not None else {"first_day": None, "last_day": None})
            for result in self.newest
        ]

    def document(self) -> dict[str, Any] | None:
        """The newest window of each locale and then their days; None if nothing is published."""
        if self.is_empty:
            return None
        days = [
            {"locale": series.locale, **point_document(self.element, slot, point)}
            for series in self.series
            for slot, point in zip(series.slots, series.points, strict=True)
        ]
        return {
            **provenance(self.version),
            "other_versions": other_versions(self.version, (slot.version for slot in self.slots)),
            "step": self.step,
            "newest": self._newest_points(),
            "points": days,
            "not_counted": not_counted_elements(self.series),
        }


def element_view(
    use_case: UseCase,
    query: TrendQuery,
    *,
    most_locales: int | None = None,
    most_points: int | None = None,
    with_rejected: bool = False,
) -> ElementView | None:
    """Find the one element that a query names; None if no version has it.

    If the version shown does not have it, but another has, that is shown. Only `most_locales` are followed over days;
    with `most_points` so many as have no more points together, but at least `FEWEST_LOCALES`, and weeks instead of days
    that would be more, unless the query asks for days. A word that was rejected is, in that locale, only for those who
    may decide about it. Raises `QueryError` for what cannot be asked.
    """
    if len(query.elements) != 1:
        return None
    versions = asked_versions(use_case, query.version)
    default = default_version(use_case) if query.version is not None else next(iter(versions), None)
    found = _find(versions, query.elements[0], with_rejected=with_rejected)
    if found is None:
        return None
    version, element = found
    others = [other for other in versions if other != version]
    trend = TRENDS.of(version)
    rejected = {} if with_rejected else trend.rejected(version, [element.text])
    locales = [locale for locale in version.locales if locale not in rejected]
    now = series_of([element], {locale: [slot] for locale, slot in newest_of(version, others, locales).items()})
    newest = tuple(
        sorted(
            (LocaleResult(each.locale, each.slots[0], each.points[0]) for each in now), key=lambda result: result.order
        )
    )
    span, usual_step = span_of(version, others, locales), kind_of(version).step
    series: Sequence[Series] = ()
    first = last = None
    if span is not None:
        order = [result.locale for result in newest][:most_locales]
        if most_points is not None and query.has_window:
            usual_step = _opening_step(version, query, span, most_points // len(order[:FEWEST_LOCALES]))
        step = query.step or usual_step
        first, last = query.range(span.last, step)
        if most_points is not None:
            order = order[: max(FEWEST_LOCALES, most_points // trend.most_points((last - first).days, step))]
        by_locale, first, last = slots_of(version, others, order, query, span, step)
        series = series_of([element], by_locale)
    return ElementView(
        use_case=use_case,
        version=version,
        default=default,
        element=element,
        query=query,
        step=query.step or usual_step,
        usual_step=usual_step,
        newest=newest,
        series=tuple(series),
        first=first,
        last=last,
        annotations=annotations_of(use_case, first, last) if first is not None and last is not None else (),
        variants=variants_of(version, element),
        sightings=SIGHTINGS.of(version)(version, element),
        span=span,
    )


def _opening_step(version: Version, query: TrendQuery, span: Span, most_points: int) -> int:
    """Return 7 where the days that a query chooses would be more points of a locale than that, or than are allowed."""
    first, last = query.range(span.last, WEEK)
    own, held = kind_of(version).step, (last - max(first, span.first)).days
    fits = TRENDS.of(version).most_points(held, own) <= most_points and (last - first).days < MOST_WINDOWS * own
    return own if fits else WEEK


def _find(versions: Iterable[Version], text: str, *, with_rejected: bool) -> tuple[Version, Element] | None:
    for each in versions:
        found = find_elements(each, [text], with_rejected=with_rejected)
        if found:
            return each, found[text]
    return None
