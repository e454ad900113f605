"""What is news about a use case since somebody was last told: only what pages show anyway, and nothing below T.

Days that are not over are no news yet: what is published about them may still be replaced. All of it is of the version
that pages show by default, and compared within it.
"""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, Literal, TypeAlias

from django.db.models import F, Max, QuerySet

from reports.models import Histogram, HistogramEntry, Subscription, UseCase, Version, WordDecision
from reports.models.uploads import utc_today
from reports.results import HistogramQuery, default_version, publish_windows
from reports.results.comparison import comparison_view
from reports.results.comparison_query import ComparisonQuery
from reports.results.comparison_rows import Row, Share, Verdict
from reports.results.names import element_name, unpadded
from reports.words import newest_decisions

TOP: Final = 10
# An element is new among the first if it was not in any list of so many days before.
LOOKED_BACK: Final = datetime.timedelta(days=7)
_DAY: Final = datetime.timedelta(days=1)
_SUNDAY: Final = 7

Kind: TypeAlias = Literal["new_word", "new_in_top", "significant_change"]


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
    # Of a change: the share in the window before, and the difference, which is known if neither is below T.
    before: Share | None = None
    difference: Share = field(default=Share())
    rises: bool = True


def newest_day(use_case: UseCase) -> datetime.date | None:
    """The last day that is over and of which something is published."""
    over = Histogram.objects.filter(version__use_case=use_case, grouping="", replaced=False, last_day__lt=utc_today())
    found: datetime.date | None = over.aggregate(newest=Max("last_day"))["newest"]
    return found


def news_of(subscription: Subscription, newest: datetime.date) -> list[Item]:
    """All that its owner wants to be told of the days up to one, by locale."""
    version = default_version(subscription.use_case)
    if version is None:
        return []
    version.use_case = subscription.use_case
    locales = [locale for locale in version.locales if subscription.locale in ("", locale)]
    return [item for locale in locales for item in _of_locale(subscription, version, locale, newest)]


def _of_locale(subscription: Subscription, version: Version, locale: str, newest: datetime.date) -> Iterator[Item]:
    since, before = _lists(version, locale, subscription.told_up_to, newest)
    if not since:
        return
    rejected = _rejected(version, locale)
    if subscription.new_words:
        yield from _new_words(version, since, rejected)
    if subscription.new_in_top:
        yield from _new_in_top(version, since[0], before, rejected)
    if subscription.significant_change:
        yield from _changes(version, since)


def _lists(
    version: Version, locale: str, told_up_to: datetime.date | None, newest: datetime.date
) -> tuple[list[Histogram], list[Histogram]]:
    """The lists since somebody was last told, the newest first, and those of some days before.

    One for each day: of the day by itself, or of the words up to it. Of weeks, where days have too few reports.
    """
    found = version.histograms.filter(locale=locale, grouping="", replaced=False, last_day__lte=newest)
    if version.discovery is None:
        found = found.filter(first_day=F("last_day"))
    if told_up_to is not None:
        found = found.filter(last_day__gt=told_up_to - LOOKED_BACK)
    ordered = found.order_by("-last_day", "first_day")
    # Of several windows that end on a day the longest: a list of one day would call new what is known for a week.
    lists = [next(lists) for _day, lists in groupby(ordered, key=lambda histogram: histogram.last_day)]
    told = told_up_to or datetime.date.min
    since = [histogram for histogram in lists if histogram.last_day > told]
    if since or version.discovery is not None:
        return since, [histogram for histogram in lists if histogram.last_day <= told]
    return _weeks(version, locale, told, newest)


def _weeks(
    version: Version, locale: str, told: datetime.date, newest: datetime.date
) -> tuple[list[Histogram], list[Histogram]]:
    """The last whole week and the one before, of the calendar: published now, if nobody has asked for them yet.

    They do not move from day to day, and so rule out no windows but those that cross them.
    """
    sunday = newest - newest.isoweekday() % _SUNDAY * _DAY
    if sunday <= told or told == datetime.date.min:
        return [], []
    ends = (sunday, sunday - _SUNDAY * _DAY)
    weeks = publish_windows(version, [(locale, end - (_SUNDAY - 1) * _DAY, end) for end in ends])
    last, before = ([] if week is None else [week] for week in weeks)
    return last, before


def _rejected(version: Version, locale: str) -> set[str]:
    """Words that people do not want to see again."""
    if version.discovery is None:
        return set()
    decisions = newest_decisions(version.use_case, locale)
    return {word for word, decision in decisions.items() if decision.verdict == WordDecision.Verdict.REJECTED}


def _new_words(version: Version, since: list[Histogram], rejected: set[str]) -> Iterator[Item]:
    """Words that a list had and an earlier one had not, as the newest list that calls them new has them."""
    seen = set(rejected)
    for histogram in since:
        for entry in histogram.entries.filter(is_new=True).order_by("rank"):
            if entry.display not in seen:
                seen.add(entry.display)
                yield _item("new_word", version, histogram, entry)


def _new_in_top(version: Version, newest: Histogram, before: list[Histogram], rejected: set[str]) -> Iterator[Item]:
    """What is among the first of a list, and was not in any of those before. If there are none, nothing is new."""
    if not before:
        return
    earlier = {entry.element for histogram in before for entry in _first(histogram, rejected)}
    for entry in _first(newest, rejected):
        if entry.element not in earlier:
            yield _item("new_in_top", version, newest, entry)


def _first(histogram: Histogram, rejected: set[str]) -> QuerySet[HistogramEntry]:
    return histogram.entries.exclude(display__in=rejected).order_by("rank")[:TOP]


def _item(kind: Kind, version: Version, histogram: Histogram, entry: HistogramEntry) -> Item:
    return Item(
        kind=kind,
        locale=histogram.locale,
        first_day=histogram.first_day,
        last_day=histogram.last_day,
        element=unpadded(version, entry.element),
        display=entry.display,
        name=element_name(version, entry.display),
        share=Share(*(x / histogram.n for x in (entry.estimate, entry.adjusted_lower, entry.adjusted_upper))),
        rank=entry.rank,
    )


def _changes(version: Version, since: list[Histogram]) -> Iterator[Item]:
    """Elements of which the newest window says clearly more, or less, than the one before it of the same length.

    Days are compared with the day before, weeks with the week before. Lists of words, which overlap from day to day and
    would tell each change again and again, only when they end a week of the calendar.
    """
    ends = since if version.discovery is None else [each for each in since if each.last_day.isoweekday() == _SUNDAY]
    if not ends:
        return
    newest, length = ends[0], ends[0].last_day - ends[0].first_day + _DAY
    query = ComparisonQuery(
        HistogramQuery(locale=newest.locale, first=newest.first_day, last=newest.last_day),
        HistogramQuery(locale=newest.locale, first=newest.first_day - length, last=newest.first_day - _DAY),
        version=version.number,
        sort="significance",
    )
    for row in comparison_view(version.use_case, query).rows:
        if row.verdict in (Verdict.MORE_IN_FIRST, Verdict.MORE_IN_SECOND):
            yield _change(version, newest, row)


def _change(version: Version, histogram: Histogram, row: Row) -> Item:
    return Item(
        kind="significant_change",
        locale=histogram.locale,
        first_day=histogram.first_day,
        last_day=histogram.last_day,
        element=unpadded(version, row.element),
        display=row.display,
        name=element_name(version, row.display),
        share=row.first,
        before=row.second,
        # Where a side is below T there are bounds alone, and they say nothing that the shares do not.
        difference=Share(row.difference, row.lower, row.upper) if row.difference is not None else Share(),
        rises=row.verdict == Verdict.MORE_IN_FIRST,
    )
