"""Publishing the lists of words that a run found in windows of periods: nothing of candidates that do not pass."""

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from aggregation.discovery import most_f2, smallest_share, summarize_words
from aggregation.estimation import Summary
from aggregation.normalization import PAD
from reports.kinds import puzzle_of
from reports.models import Discovery, Entry, Histogram, HistogramEntries, UseCase, Version
from reports.publication import Days, Window, lock_publications
from reports.results import Group, entry_of, ranked
from reports.runs.found_words import FoundWords
from reports.runs.periods_seen import Seen, periods_seen
from reports.runs.searches import searched_window


@transaction.atomic
def publish_words(version: Version, found: Iterable[FoundWords]) -> list[Histogram | None]:
    """Publish what was found in some locales, in place of earlier lists of the same days.

    None where the periods are others by now: a run over these makes the list. A list of the same periods, α and
    prescribed threshold stays as it is.
    """
    lock_publications(version)
    # The threshold that the use case prescribes now: raising it waits for publications, and the version is older.
    version.use_case = UseCase.objects.get(pk=version.use_case_id)
    return [_publish(version, each) for each in found]


def _publish(version: Version, found: FoundWords) -> Histogram | None:
    window = searched_window(version, found.locale, found.first, found.last)
    if window is None or window.days != (found.first, found.last):
        return None
    periods = _periods_of_sealings(window)
    if set(periods) != set(found.sealings):
        return None
    alpha, prescribed = version.use_case.false_positive_rate, version.use_case.prescribed_threshold
    same = Histogram.objects.ungrouped().filter(
        version=version, locale=found.locale, first_day=found.first, last_day=found.last
    )
    kept = same.filter(made_of=window.made_of, alpha=alpha, prescribed_threshold=prescribed).first()
    if kept is not None:
        return kept
    mechanism, cut = puzzle_of(version), found.how.cut
    summary = summarize_words(
        mechanism, found.counts.sum(axis=0), window.n, alpha, cut, prescribed_threshold=prescribed
    )
    shown = ranked(summary)
    histogram = Histogram(
        version=version,
        locale=found.locale,
        first_day=found.first,
        last_day=found.last,
        made_of=window.made_of,
        n=window.n,
        alpha=alpha,
        threshold=summary.threshold,
        prescribed_threshold=prescribed,
        below_threshold=len(found.words) - len(shown),
        f2=summary.f2,
        generated_at=timezone.now(),
    )
    of_period = [[periods[sealing] == period.pk for sealing in found.sealings] for period in window.periods]
    counts = np.array([found.counts[own].sum(axis=0) for own in of_period])
    reports = [np.array(found.reports)[own].sum(axis=0).tolist() for own in of_period]
    estimators = [
        mechanism.word_estimator(period.n, mechanism.word_reports(period.n, own))
        for period, own in zip(window.periods, reports, strict=True)
    ]
    rules = (alpha, partial(most_f2, cut), prescribed)
    seen = periods_seen(estimators, counts, window.periods, [place for _rank, place in shown], *rules)
    entries = _entries(histogram, found, summary, seen)
    # Only now: until here the entries of the list before were asked for.
    same.delete()
    histogram.save()
    HistogramEntries.of(histogram, entries).save(force_insert=True)
    Discovery.objects.create(
        histogram=histogram,
        sealings=found.sealings,
        candidates=len(found.words),
        smallest_share=smallest_share(mechanism, window.n, summary.f2, summary.threshold, cut),
        **found.how.as_facts(),
    )
    return histogram


def _periods_of_sealings(window: Window) -> dict[int, int]:
    """Return the key of the period that each closed day of a window is in."""
    rows = window.version.read_outs.filter(period__in=[period.pk for period in window.periods])
    return dict(rows.values_list("sealing_id", "period_id"))


def _entries(histogram: Histogram, found: FoundWords, summary: Summary, seen: Sequence[Seen | None]) -> list[Entry]:
    """Return the words above the threshold, with what earlier lists of the version and locale tell of them."""
    published = Histogram.objects.ungrouped().filter(version=histogram.version, locale=histogram.locale)
    earlier = earlier_list(histogram)
    had = earlier.entries.place_of if earlier is not None else ()
    days = _days_seen(published)
    entries = []
    for (rank, place), own in zip(ranked(summary), seen, strict=True):
        word = found.words[place]
        ends = [ends for ends in (own, days.get(word)) if ends is not None]
        entry = entry_of(rank, place, Group(word, word.rstrip(PAD), ""), summary)
        entries.append(
            entry._replace(
                is_new=earlier is not None and word not in had,
                first_day=min((first for first, _last in ends), default=None),
                last_day=max((last for _first, last in ends), default=None),
            )
        )
    return entries


def _days_seen(lists: QuerySet[Histogram]) -> dict[str, Days]:
    """Return the first and the last day on which words of lists stood out by themselves, by word."""
    found: dict[str, Days] = {}
    for entries in HistogramEntries.objects.filter(histogram__in=lists).exclude(first_days=None).iterator():
        for entry in entries:
            if entry.first_day is not None and entry.last_day is not None:
                first, last = found.get(entry.element, (entry.first_day, entry.last_day))
                found[entry.element] = min(first, entry.first_day), max(last, entry.last_day)
    return found


def earlier_list(histogram: Histogram) -> Histogram | None:
    """Return the list that says what is new: of those that end no later and are no shorter the one that ends last.

    A day's list would call new what the weeks before had, and so it is only what a week is compared with if there is
    no other. The list of the same window that is about to be replaced counts.
    """
    published = Histogram.objects.ungrouped().filter(version=histogram.version, locale=histogram.locale)
    found = list(published.filter(last_day__lte=histogram.last_day).newest_first())
    length = histogram.last_day - histogram.first_day
    as_long = (each for each in found if each.last_day - each.first_day >= length)
    return next(as_long, found[0] if found else None)
