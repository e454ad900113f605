"""Publishing words that a run found: the same rule as for a dictionary, and nothing of candidates that do not pass."""

import datetime
from collections.abc import Iterable, Sequence
from functools import partial

from django.db import transaction
from django.db.models import Max, Min
from django.utils import timezone

from aggregation.discovery import most_f2, smallest_share, summarize_words
from aggregation.estimation import Summary
from aggregation.mechanisms import SequenceFragmentPuzzle
from aggregation.normalization import PAD
from reports.models import Discovery, Histogram, HistogramEntry, UseCase, Version
from reports.results.days_seen import Seen, days_seen
from reports.results.found_words import FoundWords
from reports.results.groupings import Group
from reports.results.known import Known, Window
from reports.results.publish import entry_of, lock_publications, ranked, replace


@transaction.atomic
def publish_words(version: Version, found: Iterable[FoundWords]) -> list[Histogram | None]:
    """Publish what was found in some locales; None where it may not be shown and nothing was before.

    A histogram of the same sealings, α and prescribed threshold stays as it is.
    """
    lock_publications(version)
    mechanism = version.discovery
    if mechanism is None:
        raise LookupError("A version that counts a dictionary finds no words.")
    wanted = list(found)
    known = Known(version, None, [each.window for each in wanted])
    before = dict(known.current)
    published = [_publish(known, mechanism, each) for each in wanted]
    if known.current != before:
        UseCase.renew_generation(version.use_case_id)
    return published


def may_be_published(version: Version, locale: str, first: datetime.date, last: datetime.date) -> bool:
    """Whether a run over these days, all of them sketched and none of their words shown, would publish what it finds.

    Asked without the lock, this is a hint: who publishes decides anew.
    """
    window = (locale, first, last)
    known = Known(version, None, [window])
    return window not in known.current and _is_allowed(known, window)


def _is_allowed(known: Known, window: Window) -> bool:
    """The publication rule."""
    minimum = known.version.use_case.minimum_reports
    if not known.is_all_read(window) or sum(read_out.n for read_out in known.within(window)) < minimum:
        return False
    return not known.singles_out(window, minimum)


def _publish(known: Known, mechanism: SequenceFragmentPuzzle, found: FoundWords) -> Histogram | None:
    version, window = known.version, found.window
    current = known.current.get(window)
    alpha, minimum = version.use_case.false_positive_rate, version.use_case.minimum_reports
    prescribed = known.prescribed_threshold
    made_of = (found.sealings, alpha, prescribed)
    if current is not None and (current.sealings, current.alpha, current.prescribed_threshold) == made_of:
        return current
    read_outs = known.within(window)
    # Sealed and sketched since the run was planned, by another: only a run over the same window publishes it all. If
    # that other was over a different one, this window is open for a new run, as one in which nobody has looked.
    if [read_out.sealing_id for read_out in read_outs] != found.sealings or not _is_allowed(known, window):
        return current
    reports = [read_out.n for read_out in read_outs]
    n = sum(reports)
    counts, cut = found.counts, found.how.cut
    summary = summarize_words(mechanism, counts.sum(axis=0), n, alpha, cut, prescribed_threshold=prescribed)
    shown = ranked(summary)
    histogram = Histogram(
        version=version,
        locale=found.locale,
        first_day=found.days[0],
        last_day=found.days[-1],
        sealings=found.sealings,
        n=n,
        alpha=alpha,
        threshold=summary.threshold,
        prescribed_threshold=prescribed,
        below_threshold=len(found.words) - len(shown),
        f2=summary.f2,
        generated_at=timezone.now(),
    )
    by_day = known.may_name_days(window, minimum)
    places = [place for _rank, place in shown]
    rules = (alpha, partial(most_f2, cut), prescribed)
    seen = days_seen(mechanism.words, counts, found.days, reports, places, *rules) if by_day else None
    entries = _entries(histogram, found, summary, seen)
    # Only now: until here the entries of earlier publications were asked for.
    if current is not None:
        replace(current)
    histogram.save()
    HistogramEntry.objects.bulk_create(entries)
    _create_discovery(histogram, mechanism, found, summary, by_day=by_day)
    known.add(histogram, by_day=by_day)
    return histogram


def _entries(
    histogram: Histogram, found: FoundWords, summary: Summary, seen: Sequence[Seen | None] | None
) -> list[HistogramEntry]:
    """The words above the threshold, with what earlier publications of the version and locale tell of them."""
    published = Histogram.objects.filter(version=histogram.version, locale=histogram.locale, grouping="")
    earlier = _earlier(histogram)
    had = set(earlier.entries.values_list("element", flat=True)) if earlier is not None else set()
    entries = []
    for rank, place in ranked(summary):
        word = found.words[place]
        entry = entry_of(histogram, rank, place, Group(word, word.rstrip(PAD), ""), summary)
        entry.is_new = earlier is not None and word not in had
        entries.append(entry)
    before = HistogramEntry.objects.filter(histogram__in=published, element__in=[entry.element for entry in entries])
    days = {
        element: (first, last)
        for element, first, last in before.order_by()
        .values("element")
        .annotate(first=Min("first_day"), last=Max("last_day"))
        .values_list("element", "first", "last")
        if first is not None
    }
    for entry, own in zip(entries, seen or [None] * len(entries), strict=True):
        ends = [ends for ends in (own, days.get(entry.element)) if ends is not None]
        entry.first_day = min((first for first, _last in ends), default=None)
        entry.last_day = max((last for _first, last in ends), default=None)
    return entries


def _earlier(histogram: Histogram) -> Histogram | None:
    """The list that says what is new in this one: of those that end no later and are no shorter the one that ends last.

    A day's list would call new what the weeks before had, and so it is only what a week is compared with if there is
    no other. The list of the same window that is about to be replaced counts.
    """
    published = Histogram.objects.filter(version=histogram.version, locale=histogram.locale, grouping="")
    published = published.filter(replaced=False, last_day__lte=histogram.last_day)
    found = list(published.order_by("-last_day", "first_day"))
    length = histogram.last_day - histogram.first_day
    as_long = (each for each in found if each.last_day - each.first_day >= length)
    return next(as_long, found[0] if found else None)


def _create_discovery(
    histogram: Histogram, mechanism: SequenceFragmentPuzzle, found: FoundWords, summary: Summary, *, by_day: bool
) -> None:
    how = found.how
    Discovery.objects.create(
        histogram=histogram,
        reports=how.reports,
        cuts=how.cuts,
        f2=how.f2,
        kept=how.kept,
        capped=how.capped,
        joined=how.joined,
        strictness=how.strictness,
        candidates=len(found.words),
        smallest_share=smallest_share(mechanism, summary.n, summary.f2, summary.threshold, how.cut),
        by_day=by_day,
    )
