"""Pairs of windows that are compared, of each locale: the newest days, and as many before."""

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from django.db.models import F, Max
from django.utils.translation import gettext as _

from reports.kinds import DISCOVERY_DAYS, ByKind
from reports.models import DictionaryEntry, DictionaryRevision, Histogram, Period, Version
from reports.publication import Days, NotCounted, Periods, Window, not_counted_in, periods_of_each
from reports.results.changes.query import ChangesQuery
from reports.results.listed import Listed, listed_windows, listed_words
from reports.results.query import HistogramQuery, NotInVersion, refuse_days_of_words
from reports.results.versions import counts_alike

_DAY: Final = datetime.timedelta(days=1)
# Periods of a locale with few reports may be longer than the windows: so many days more are looked at.
_MORE_DAYS: Final = 62


@dataclass(frozen=True)
class Pair:
    """A locale in two windows without a common report."""

    locale: str
    # None of which nothing is published.
    now_days: Days | None
    before_days: Days | None
    # Read only where both are.
    now: Listed | None = None
    before: Listed | None = None
    # Elements that are not counted in all of both: nothing is said of their change.
    not_counted: tuple[NotCounted, ...] = ()


@dataclass(frozen=True)
class Pairs:
    """The days that are compared, as they are meant for all locales, and what each locale has of them."""

    now: Days | None
    before: Days | None
    of_locales: tuple[Pair, ...]


class Asked(NamedTuple):
    """The version that a use case shows, those behind it, and the locales to look at."""

    version: Version
    others: Sequence[Version]
    locales: Sequence[str]

    @property
    def alike(self) -> list[Version]:
        return [other for other in self.others if counts_alike(self.version, other)]


@dataclass(frozen=True)
class Newest:
    """The newer window's histogram in a locale; nothing if none is published."""

    locale: str
    listed: Listed | None
    not_counted: tuple[NotCounted, ...] = ()


def newest_of_locales(version: Version, query: ChangesQuery) -> tuple[Days | None, list[Newest]]:
    """Return the days that are meant, and what each locale of a version shows of them."""
    return _NEWEST.of(version)(version, query)


FindPairs: TypeAlias = Callable[[Sequence[Asked], ChangesQuery], list[Pairs]]
_NOTHING: Final = Pairs(None, None, ())


def find_pairs(asked: Sequence[Asked], query: ChangesQuery) -> list[Pairs]:
    """Find the pairs of each use case that is asked for; how many queries it takes does not depend on their number."""
    found: dict[Version, Pairs] = {}
    for find, versions in _FIND.groups(each.version for each in asked):
        of_kind = [each for each in asked if each.version in versions]
        if of_kind:
            found |= dict(zip((each.version for each in of_kind), find(of_kind, query), strict=True))
    return [found[each.version] for each in asked]


def _days_meant(newest: datetime.date | None, query: ChangesQuery) -> tuple[Days, Days] | None:
    """Return the days of the newer window and those before; None if there are none."""
    now = query.bounds(newest)
    if now is None:
        return None
    length = now[1] - now[0] + _DAY
    if now[0].toordinal() <= length.days + _MORE_DAYS:
        return None
    return now, (now[0] - length, now[0] - _DAY)


# --- Dictionaries ---


def _counted_pairs(asked: Sequence[Asked], query: ChangesQuery) -> list[Pairs]:
    """Find the windows of all locales; where the version counted nothing of one, that of another version like it."""
    newest = _newest_days([each.version for each in asked])
    meant = {each.version: _days_meant(newest.get(each.version.pk), query) for each in asked}
    released = _released((each, [each.version], meant[each.version]) for each in asked)
    windows = {each.version: _windows(each, released, meant[each.version]) for each in asked}
    lacking = [each for each in asked if each.alike and None in {*chain(*windows[each.version].values())}]
    if lacking:
        released |= _released((each, each.alike, meant[each.version]) for each in lacking)
        windows |= {each.version: _windows(each, released, meant[each.version]) for each in lacking}
    listed = _listed(window for own in windows.values() for pair in own.values() if None not in pair for window in pair)
    found = []
    for each in asked:
        days, own = meant[each.version], windows[each.version]
        pairs = (
            Pair(
                locale,
                None if now is None else now.days,
                None if before is None else before.days,
                listed.get(now),
                listed.get(before),
            )
            for locale, (now, before) in own.items()
        )
        completed = tuple(with_what_is_not_counted(pair, released) for pair in pairs)
        found.append(_NOTHING if days is None else Pairs(*days, completed))
    return found


_AllPeriods: TypeAlias = Mapping[tuple[int, str], Periods]
_TwoWindows: TypeAlias = tuple[Window | None, Window | None]


def _newest_days(versions: Sequence[Version]) -> dict[int, datetime.date]:
    enough = F("version__use_case__minimum_reports")
    rows = Period.objects.filter(version__in=versions, n__gte=enough).order_by().values_list("version")
    return dict(rows.annotate(newest=Max("last_day")))


def _released(
    wanted: Iterable[tuple[Asked, Sequence[Version], tuple[Days, Days] | None]],
) -> dict[tuple[int, str], Periods]:
    places: list[tuple[Version, str]] = []
    between: dict[int, Days] = {}
    for asked, versions, days in wanted:
        if days is None:
            continue
        begin, last = days[1][0] - _MORE_DAYS * _DAY, days[0][1]
        places += [(version, locale) for version in versions for locale in asked.locales]
        between |= dict.fromkeys((version.pk for version in versions), (begin, last))
    return periods_of_each(places, between)


def _windows(asked: Asked, released: _AllPeriods, days: tuple[Days, Days] | None) -> dict[str, _TwoWindows]:
    if days is None:
        return {}
    found: dict[str, _TwoWindows] = {}
    for locale in asked.locales:
        keys = ((version.pk, locale) for version in (asked.version, *asked.alike))
        periods = [released[key] for key in keys if key in released]
        now, (first, last) = _window(periods, *days[0]), days[1]
        if now is not None:
            # A period of more days than were asked for begins earlier.
            length, last = last - first, min(last, now.first_day - _DAY)
            first = last - length
        found[locale] = now, _window(periods, first, last)
    return found


def _window(periods: Sequence[Periods], first: datetime.date, last: datetime.date) -> Window | None:
    """Return what lies inside these days, by the first version that has something; else the newest that ends there."""
    for each in periods:
        if window := each.inside(first, last):
            return window
    for each in periods:
        newest = each.newest(last)
        if newest is not None and newest.last_day >= first:
            return each.inside(newest.first_day, newest.last_day)
    return None


def _listed(windows: Iterable[Window | None]) -> dict[Window | None, Listed]:
    """Return the histograms of windows whose versions have a dictionary with something in it."""
    wanted = [window for window in windows if window is not None]
    newest = DictionaryRevision.objects.filter(version__in={window.version for window in wanted})
    revisions = {each.version_id: each for each in newest.order_by("version_id", "-number").distinct("version_id")}
    counted = []
    for window in wanted:
        revision = revisions.get(window.version.pk)
        if revision is not None and revision.size:
            revision.version = window.version
            counted.append((window, revision))
    return dict(zip((window for window, _revision in counted), listed_windows(counted), strict=True))


def with_what_is_not_counted(pair: Pair, released: _AllPeriods) -> Pair:
    """Return the pair with the elements that are not counted in all of both windows."""
    found: dict[str, NotCounted] = {}
    for each in (pair.now, pair.before):
        revision = None if each is None else each.histogram.revision
        if each is None or each.window is None or revision is None or each.window.revisions <= {revision.pk}:
            continue
        periods = released[each.version.pk, pair.locale]
        found |= {missing.element: missing for missing in not_counted_in(each.window, periods, revision)}
    if pair.now is not None and pair.before is not None and pair.now.version != pair.before.version:
        found = {each.element: each for each in _in_one_dictionary(pair.now, pair.before)} | found
    return replace(pair, not_counted=tuple(found.values()))


def _in_one_dictionary(now: Listed, before: Listed) -> Iterator[NotCounted]:
    """Yield what either histogram lists and the dictionary of the other's version does not have."""
    for own, other in ((now, before), (before, now)):
        known = DictionaryEntry.objects.filter(revision=other.histogram.revision, element__in=own.entries.elements)
        had = set(known.values_list("element", flat=True))
        yield from (
            NotCounted(element, display, None)
            for element, display, _category in own.entries.texts
            if element not in had
        )


def _newest_counted(version: Version, query: ChangesQuery) -> tuple[Days | None, list[Newest]]:
    asked = Asked(version, [], version.locales)
    meant = _days_meant(_newest_days([version]).get(version.pk), query)
    released = _released([(asked, [version], meant)])
    windows = {locale: now for locale, (now, _before) in _windows(asked, released, meant).items()}
    listed = _listed(windows.values())
    found = []
    for locale in version.locales:
        own = listed.get(windows.get(locale))
        days = own.days if own is not None else None
        pair = with_what_is_not_counted(Pair(locale, days, None, own), released)
        found.append(Newest(locale, own, pair.not_counted))
    return None if meant is None else meant[0], found


# --- Discovered words ---


def _word_pairs(asked: Sequence[Asked], query: ChangesQuery) -> list[Pairs]:
    """Find the newest list of each locale and one before it, of lists that runs made: a page makes none."""
    by_place = _lists([each.version for each in asked], query)
    chosen = {
        (each.version, locale): _two_lists(by_place.get((each.version.pk, locale), []))
        for each in asked
        for locale in each.locales
    }
    wanted = [(key[0], each) for key, pair in chosen.items() if None not in pair for each in pair if each is not None]
    listed: dict[Histogram | None, Listed] = dict(
        zip((histogram for _version, histogram in wanted), listed_words(wanted), strict=True)
    )
    found = []
    for each in asked:
        own = ((locale, *chosen[each.version, locale]) for locale in each.locales)
        pairs = tuple(
            Pair(locale, _days_of(now), _days_of(before), listed.get(now), listed.get(before))
            for locale, now, before in own
        )
        spans = _span(pair.now_days for pair in pairs), _span(pair.before_days for pair in pairs)
        found.append(Pairs(*spans, pairs))
    return found


def _lists(versions: Sequence[Version], query: ChangesQuery) -> dict[tuple[int, str], list[Histogram]]:
    """Return the lists of each version and locale, the newest first. Raises `NotInVersion`."""
    refuse_days_of_words(HistogramQuery(days=query.days))
    if query.first is not None:
        raise NotInVersion("from", _("This version looks for words: its windows are those of its runs."))
    lists = Histogram.objects.ungrouped().filter(version__in=versions)
    if query.last is not None:
        lists = lists.filter(last_day__lte=query.last)
    found: dict[tuple[int, str], list[Histogram]] = {}
    for histogram in lists.select_related("discovery").newest_first()[:_MOST_LISTS]:
        found.setdefault((histogram.version_id, histogram.locale), []).append(histogram)
    return found


def _newest_words(version: Version, query: ChangesQuery) -> tuple[Days | None, list[Newest]]:
    by_place = _lists([version], query)
    chosen = {
        locale: newest
        for locale in version.locales
        if (newest := _two_lists(by_place.get((version.pk, locale), []))[0]) is not None
    }
    listed = dict(zip(chosen, listed_words([(version, each) for each in chosen.values()]), strict=True))
    days = _span(_days_of(each) for each in chosen.values())
    return days, [Newest(locale, listed.get(locale)) for locale in version.locales]


_MOST_LISTS: Final = 2_000


def _two_lists(lists: Sequence[Histogram]) -> tuple[Histogram | None, Histogram | None]:
    """Choose, of lists of a locale with the newest first, that of about a week and one before without a common day."""
    if not lists:
        return None, None
    newest = sorted((each for each in lists if each.last_day == lists[0].last_day), key=_distance)
    for now in newest:
        apart = [each for each in lists if each.last_day < now.first_day]
        if apart:
            last = [each for each in apart if each.last_day == apart[0].last_day]
            return now, min(last, key=lambda each: abs(_length(each) - _length(now)))
    return newest[0], None


def _length(histogram: Histogram) -> int:
    return (histogram.last_day - histogram.first_day).days + 1


def _distance(histogram: Histogram) -> int:
    return abs(_length(histogram) - DISCOVERY_DAYS)


def _days_of(histogram: Histogram | None) -> Days | None:
    return None if histogram is None else (histogram.first_day, histogram.last_day)


def _span(windows: Iterable[Days | None]) -> Days | None:
    days = [each for each in windows if each is not None]
    return (min(first for first, _last in days), max(last for _first, last in days)) if days else None


_FIND: Final = ByKind[FindPairs](counting=_counted_pairs, discovery=_word_pairs)
_NEWEST: Final = ByKind[Callable[[Version, ChangesQuery], tuple[Days | None, list[Newest]]]](
    counting=_newest_counted, discovery=_newest_words
)
