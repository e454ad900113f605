"""News about a use case since the last delivery: only what pages show anyway, and nothing below T.

Which days a message is about is decided by `reports.notifications.cursor`. A message is about one version, and compares
within it.
"""

import datetime
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, Literal, TypeAlias

from django.db.models import Q

from reports.models import Entry, Histogram, Subscription, Version
from reports.notifications.cursor import Days, days_of, silent_days
from reports.notifications.lists import Lists
from reports.notifications.news_kinds import NEWS
from reports.results import HistogramQuery, element_name, unpadded, window_estimator
from reports.results.comparison import (
    FALSE_DISCOVERY_RATE,
    ComparisonQuery,
    ComparisonRow,
    Share,
    Verdict,
    comparison_view,
)
from reports.results.trend import bounds_below

TOP: Final = 10
# An element is new among the first if it was not in any list of so many days before.
LOOKED_BACK: Final = datetime.timedelta(days=7)

# A window, and the newest one before it that it is compared with.
Pair: TypeAlias = tuple[Histogram, Histogram]
# Whether a share is certainly on a side of a bound.
Side: TypeAlias = Callable[[Share, float], bool]
Kind: TypeAlias = Literal["new_word", "new_in_top", "significant_change", "above", "below", "silent"]


@dataclass(frozen=True)
class Item:
    """An element that is news: its share of the reports of a window, or what that is at most if it is below T."""

    kind: Kind
    locale: str
    first_day: datetime.date
    last_day: datetime.date
    # As it is counted, as it is shown, and what it is called.
    element: str
    display: str
    name: str
    share: Share
    rank: int | None = None
    # For a change: the window before, the share there, and the difference, which is known if neither is below T.
    window_before: tuple[datetime.date, datetime.date] | None = None
    before: Share | None = None
    difference: Share = field(default=Share())
    rises: bool = True


def news_of(subscription: Subscription, batch: Days) -> list[Item]:
    """Return all news that the subscription asks for, up to the days of the batch, by locale."""
    found: list[tuple[Version, str, Lists]] = []
    for version in subscription.about.versions.order_by("number"):
        delivered = days_of(subscription.told, version)
        found += [
            (version, locale, NEWS.of(version).lists(version, locale, delivered.get(locale, datetime.date.min), up_to))
            for locale, up_to in sorted(days_of(batch, version).items())
        ]
    pairs = {(version.pk, locale): _pairs(version, lists) for version, locale, lists in found}
    # Shared out among the comparisons: of all changes in a message, not of each locale's, so many are none at most.
    fdr = FALSE_DISCOVERY_RATE / max(1, sum(map(len, pairs.values())))
    changes = [
        item
        for version, locale, lists in found
        for item in _of_locale(subscription, version, lists, pairs[version.pk, locale], fdr)
    ]
    return [*changes, *(_silence(locale, day) for locale, day in sorted(silent_days(batch).items()))]


def _of_locale(
    subscription: Subscription, version: Version, lists: Lists, pairs: Sequence[Pair], fdr: float
) -> Iterator[Item]:
    if not lists.since:
        return
    rejected = NEWS.of(version).rejected(version, lists.since[0].locale)
    if subscription.new_words:
        yield from _new_words(version, lists.since, rejected)
    if subscription.new_in_top:
        for histogram in lists.since:
            yield from _new_in_top(version, histogram, lists, rejected)
    for newer, older in pairs:
        if subscription.significant_change:
            changes = _changes(version, newer, older, fdr)
            yield from (each for each in changes if subscription.element in ("", each.element, each.display))
        if subscription.element:
            yield from _crossings(subscription, version, newer, lists.earlier_than(newer))


def _is_above(share: Share, bound: float) -> bool:
    return share.lower is not None and share.lower > bound


def _is_below(share: Share, bound: float) -> bool:
    return (share.upper or share.at_most or 1.0) < bound


def _crossings(
    subscription: Subscription, version: Version, newer: Histogram, earlier: Sequence[Histogram]
) -> Iterator[Item]:
    """Yield the element of a rule where its share is certainly beyond a bound and was not before.

    A share that stays at its bound is now certainly beyond it, now not, by chance alone. So windows that leave it open
    are passed over: of those before, the newest that is certain says on which side it was.
    """
    now = _standing(version, newer, subscription.element)
    sides: tuple[tuple[Kind, float | None, Side, Side], ...] = (
        ("above", subscription.above_share, _is_above, _is_below),
        ("below", subscription.below_share, _is_below, _is_above),
    )
    for kind, bound, is_beyond, is_before in sides:
        if bound is None or not is_beyond(now, bound):
            continue
        before = standing = _standing(version, earlier[0], subscription.element)
        for histogram in earlier[1:]:
            if is_beyond(standing, bound) or is_before(standing, bound):
                break
            standing = _standing(version, histogram, subscription.element)
        if not is_beyond(standing, bound):
            element = subscription.element
            item = _item(kind, version, newer, element, element, now)
            yield replace(item, window_before=_days(earlier[0]), before=before, rises=kind == "above")


def _standing(version: Version, histogram: Histogram, element: str) -> Share:
    """Return the share of an element, or what it is at most if it is counted and below the threshold."""
    entry = next((each for each in histogram.entries if element in (each.element, each.display)), None)
    if entry is not None:
        return _share(histogram, entry)
    if histogram.revision is None or not histogram.revision.entries.filter(Q(element=element) | Q(display=element)):
        return Share()
    estimator = window_estimator(version, [histogram.revision.pk], histogram.revision)
    return Share(at_most=bounds_below(estimator, [histogram])[histogram.pk] / histogram.n)


def _silence(locale: str, day: datetime.date) -> Item:
    return Item("silent", locale, day, day, element="", display="", name="", share=Share())


def _new_words(version: Version, since: Sequence[Histogram], rejected: set[str]) -> Iterator[Item]:
    """Yield words that a list had and an earlier one had not, from the newest list that calls them new."""
    seen = set(rejected)
    for histogram in since:
        for entry in histogram.entries:
            if entry.is_new and entry.display not in seen:
                seen.add(entry.display)
                yield _of_entry("new_word", version, histogram, entry)


def _new_in_top(version: Version, histogram: Histogram, lists: Lists, rejected: set[str]) -> Iterator[Item]:
    """Yield top elements of a histogram that were in the top of no earlier one. Without earlier ones, none is new."""
    start = histogram.last_day - LOOKED_BACK
    before = [each for each in (*lists.since, *lists.before) if start <= each.last_day < histogram.last_day]
    if not before:
        return
    earlier = {entry.element for each in before for entry in _first(each, rejected)}
    for entry in _first(histogram, rejected):
        if entry.element not in earlier:
            yield _of_entry("new_in_top", version, histogram, entry)


def _first(histogram: Histogram, rejected: set[str]) -> list[Entry]:
    return list(islice((entry for entry in histogram.entries if entry.display not in rejected), TOP))


def _item(kind: Kind, version: Version, histogram: Histogram, element: str, display: str, share: Share) -> Item:
    name = element_name(version, display)
    return Item(kind, histogram.locale, *_days(histogram), element, display, name, share)


def _of_entry(kind: Kind, version: Version, histogram: Histogram, entry: Entry) -> Item:
    item = _item(kind, version, histogram, unpadded(version, entry.element), entry.display, _share(histogram, entry))
    return replace(item, rank=entry.rank)


def _share(histogram: Histogram, entry: Entry) -> Share:
    return Share(*(x / histogram.n for x in (entry.estimate, entry.adjusted_lower, entry.adjusted_upper)))


def _days(histogram: Histogram) -> tuple[datetime.date, datetime.date]:
    return histogram.first_day, histogram.last_day


def _pairs(version: Version, lists: Lists) -> list[Pair]:
    """Pair each histogram with the newest one that ends before it begins."""
    compared = filter(NEWS.of(version).is_compared, lists.since)
    return [(histogram, before[0]) for histogram in compared if (before := lists.earlier_than(histogram))]


def _changes(version: Version, newer: Histogram, older: Histogram, fdr: float) -> Iterator[Item]:
    """Yield elements whose share differs significantly from that in the earlier window."""
    query = ComparisonQuery(
        HistogramQuery(locale=newer.locale, first=newer.first_day, last=newer.last_day),
        HistogramQuery(locale=older.locale, first=older.first_day, last=older.last_day),
        version=version.number,
        sort="significance",
    )
    for row in comparison_view(version.use_case, query, fdr).rows:
        if row.verdict in (Verdict.MORE_IN_FIRST, Verdict.MORE_IN_SECOND):
            yield _change(version, newer, older, row)


def _change(version: Version, histogram: Histogram, older: Histogram, row: ComparisonRow) -> Item:
    return replace(
        _item("significant_change", version, histogram, unpadded(version, row.element), row.display, row.first),
        window_before=_days(older),
        before=row.second,
        # Where a side is below T there are bounds alone, and they say nothing that the shares do not.
        difference=Share(row.difference, row.lower, row.upper) if row.difference is not None else Share(),
        rises=row.verdict == Verdict.MORE_IN_FIRST,
    )
