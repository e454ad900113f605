"""Runs that find words, in this process: what is found, and what is kept and published of it."""

import datetime

import numpy as np
import pytest
from django.utils import timezone

from aggregation.discovery import (
    Sketches,
    cut_fragments,
    fragment_keys,
    join_fragments,
    num_fragment_keys,
    read_fragments,
    read_words,
    smallest_share,
    summarize_words,
)
from reports.collection.closing import seal_days, seal_finished_days
from reports.day_sketches import open_sketches
from reports.jobs import finish_inline
from reports.kinds import puzzle_of
from reports.models import Discovery, Histogram, Part, PendingFile, ReadOut, Run, Shard, Version
from reports.runs import part_ranges, start_run
from reports.runs.discovery_steps import read_fragments_of_rows
from reports.runs.ordering import start_runs_of_finished_days
from reports.runs.part_ranges import fragment_look_ups, fragment_ranges
from reports.storage import open_array
from tests.reports.factories import stored_files
from tests.reports.runs.stepwise import begin, work_on
from tests.reports.small_fleet import ALPHABETS, aggregate, days_ago, define_words, estimates, send_words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]
# Where files go once it is committed, and where a failure ends the connection.
commits = pytest.mark.django_db(transaction=True)


@once
def searched() -> Run:
    """A run over two days of one locale and one of another."""
    version = define_words()
    for locale, day in (("en_US", 2), ("en_US", 1), ("fr_FR", 1)):
        send_words(version, 500, locale=locale, day=days_ago(day), seed=day)
    return aggregate(version)


@pytest.fixture
def version() -> Version:
    return define_words()


def shards_of(sealing: int, locale: str) -> dict[str, np.ndarray]:
    found = Shard.objects.filter(sealing=sealing, locale=locale, batch=None)
    return {shard.stream: open_array(shard.file_name) for shard in found}


def test_what_is_published_is_what_the_reports_say(version: Version) -> None:
    """The whole chain by hand, from the sealed reports to estimates, gives the same numbers."""
    for seed, day in enumerate((3, 2)):
        for locale in ALPHABETS:
            send_words(version, 1000, locale=locale, day=days_ago(day), seed=seed)
    aggregate(version)
    mechanism = puzzle_of(version)
    for locale, alphabet in ALPHABETS.items():
        histogram = Histogram.objects.get(locale=locale)
        days = [shards_of(sealing, locale) for sealing in histogram.discovery.sealings]
        sketches = [Sketches.count(mechanism, shards) for shards in days]
        keys = fragment_keys(alphabet, mechanism.fragments.family)
        reports = [sum(len(shards[stream]) for shards in days) for stream in mechanism.streams[1:]]
        cut = cut_fragments(mechanism, read_fragments(mechanism, sketches, keys, 0, 64), reports)
        joined = join_fragments(mechanism, keys, cut)
        counts = read_words(mechanism, sketches, joined.words).sum(axis=0)
        summary = summarize_words(mechanism, counts, 2000, 0.05, cut)
        shown = {joined.words[place]: float(summary.estimate[place]) for place in np.flatnonzero(summary.above)}
        assert estimates(histogram) == shown
        assert (histogram.n, histogram.threshold, histogram.revision) == (2000, summary.threshold, None)
        assert histogram.below_threshold == len(joined.words) - len(shown)
        how = Discovery.objects.get(histogram=histogram)
        assert (how.reports, how.cuts) == (reports, cut.thresholds.tolist())
        assert (how.kept, how.capped) == ([len(own) for own in cut.kept], False)
        assert (how.joined, how.strictness, how.candidates) == (joined.tried, 1, len(joined.words))
        assert how.smallest_share == smallest_share(mechanism, 2000, summary.f2, summary.threshold, cut)


def test_words_of_each_locale_are_found_with_its_own_letters(version: Version) -> None:
    typed = {locale: send_words(version, 3000, locale=locale) for locale in ALPHABETS}
    aggregate(version)
    for locale, counts in typed.items():
        entries = list(Histogram.objects.get(locale=locale).entries)
        assert [entry.display for entry in entries] == sorted(counts, key=lambda word: -counts[word])
        assert [entry.rank for entry in entries] == list(range(1, len(counts) + 1))
        for entry in entries:
            assert entry.element == entry.display.ljust(4, "_")
            # Six standard errors: a false alarm once in 5·10⁸, for seeds that never change.
            assert abs(entry.estimate - counts[entry.display]) < 6 * entry.standard_error


@commits
def test_the_steps_of_a_run_leave_nothing_but_sealed_reports_and_sketches() -> None:
    """Candidates that do not pass lie in the results of parts: these are deleted when the run is published."""
    run = searched()
    assert (run.revision, run.first_day, run.last_day) == (None, days_ago(2), days_ago(1))
    step = Part.Step
    expected = [(step.SKETCH, "en_US"), (step.SKETCH, "en_US"), (step.SKETCH, "fr_FR")]
    expected += [(step.FRAGMENTS, "en_US"), (step.FRAGMENTS, "fr_FR"), (step.WORDS, "en_US"), (step.WORDS, "fr_FR")]
    assert list(run.parts.values_list("step", "locale")) == expected
    assert stored_files().keys() == {owner.file_name for owner in (*Shard.objects.all(), *ReadOut.objects.all())}
    # The figures of a cut tell of reports that may be too few to be published.
    assert [(part.file_name, part.facts) for part in run.parts.all()] == [("", {})] * len(expected)
    assert not PendingFile.objects.exists()


def test_sketches_are_kept_whole_and_say_how_many_reports_each_position_has() -> None:
    mechanism = puzzle_of(searched().version)
    read_out = ReadOut.objects.get(locale="fr_FR")
    kept = open_sketches(mechanism, read_out.file_name)
    shards = shards_of(read_out.sealing_id, "fr_FR")
    expected = Sketches.count(mechanism, shards)
    assert (kept.sketches.flat() == expected.flat()).all()
    assert kept.reports.tolist() == [len(shards["fragment-1"]), len(shards["fragment-3"])]
    assert (read_out.n, sum(kept.reports), read_out.revision) == (500, 500, None)


def test_of_fewer_reports_than_may_be_published_no_words_are_looked_for(version: Version) -> None:
    send_words(version, 60, locale="en_US", day=days_ago(2))
    send_words(version, 39, locale="en_US", day=days_ago(1))
    send_words(version, 100, locale="fr_FR", day=days_ago(1))
    run = aggregate(version)
    searched = run.parts.exclude(step=Part.Step.SKETCH)
    assert set(searched.values_list("locale", flat=True)) == {"fr_FR"}
    assert Histogram.objects.get().locale == "fr_FR"
    # All days are sketched, so that the one report that is missing is enough. It comes too late for its day.
    send_words(version, 1, locale="en_US", words={"lol": 1.0})
    aggregate(version, days_ago(2), days_ago(0))
    assert Histogram.objects.get(locale="en_US").n == 100


def test_the_cut_into_parts_changes_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    version = searched().version
    whole = Histogram.objects.filter(locale="en_US", first_day=days_ago(2), last_day=days_ago(1))
    names = ("reports", "cuts", "kept", "joined", "candidates", "smallest_share")
    how = Discovery.objects.values(*names)
    expected = estimates(whole.get()), how.get(histogram__in=whole)
    Histogram.objects.all().delete()
    monkeypatch.setattr(part_ranges, "FRAGMENT_LOOK_UPS_PER_PART", 1 << 19)
    run = aggregate(version)
    assert not run.parts.filter(step=Part.Step.SKETCH).exists(), "days are sketched once"
    ranges = run.parts.filter(step=Part.Step.FRAGMENTS, locale="en_US").values_list("start_row", "stop_row")
    assert list(ranges) == [(0, 16), (16, 32), (32, 48), (48, 64)]
    assert (estimates(whole.get()), how.get(histogram__in=whole)) == expected


@pytest.mark.parametrize("length", [2, 10, 16])
@pytest.mark.parametrize("letters", [1, 27, 64])
@pytest.mark.parametrize("rows", [2048, 65536])
def test_parts_that_read_fragments_keep_within_bytes_and_leases(rows: int, letters: int, length: int) -> None:
    keys, positions = num_fragment_keys("".join(map(chr, range(0x4E00, 0x4E00 + letters)))), length // 2
    ranges = list(fragment_ranges(rows, keys, positions))
    assert [start for start, _stop in ranges] == [0, *(stop for _start, stop in ranges[:-1])]
    assert ranges[-1][1] == rows
    assert len(ranges) * part_ranges.FRAGMENT_BYTES * keys * positions <= part_ranges.RESULT_BYTES
    # At two nanoseconds each, which is what they take on one quiet core, ten seconds; the lease is six times that.
    longest = max(stop - start for start, stop in ranges)
    assert fragment_look_ups(longest, keys, positions) <= 5 * 10**9


def test_two_workers_share_the_fragments_of_an_ordinary_search_evenly() -> None:
    keys = num_fragment_keys("abcdefghijklmnopqrstuvwxyz'")
    lengths = [stop - start for start, stop in fragment_ranges(2048, keys, 5)]
    assert len(lengths) >= 5
    assert max(lengths) <= 2048 / 4


def test_positions_share_a_hash() -> None:
    one, five = (fragment_look_ups(2048, 193_792, positions) for positions in (1, 5))
    assert one < five < 2 * one


def test_what_was_read_out_is_kept_in_the_bytes_that_were_reckoned_with(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    send_words(version, 500)
    run = start_run(version, ring=False)
    for part_id in begin(run.pk):
        work_on(part_id)
    part = run.parts.get(step=Part.Step.FRAGMENTS)
    found = read_fragments_of_rows(part)
    assert (found.dtype.kind, found.itemsize) == ("u", part_ranges.FRAGMENT_BYTES)
    many = found.astype(np.int64) + 2**32
    monkeypatch.setattr("reports.runs.discovery_steps.read_fragments", lambda *_arguments: many)
    assert (read_fragments_of_rows(part) == many).all()


def test_a_day_is_sketched_once_and_does_without_its_reports_then() -> None:
    """Reports expire before what was counted in them."""
    run = searched()
    before = set(ReadOut.objects.values_list("file_name", flat=True))
    run.shards.clear()
    Shard.objects.all().delete()
    send_words(run.version, 500, day=days_ago(0))
    sketched = aggregate(run.version).parts.filter(step=Part.Step.SKETCH)
    assert list(sketched.values_list("sealing__day", "locale")) == [(days_ago(0), "en_US")]
    assert set(ReadOut.objects.exclude(day=days_ago(0)).values_list("file_name", flat=True)) == before
    whole = Histogram.objects.get(first_day=days_ago(2), last_day=days_ago(0))
    assert (whole.n, sum(whole.discovery.reports)) == (1500, 1500)
    assert "lol" in {entry.display for entry in whole.entries}


def window(run: Run) -> tuple[datetime.date, datetime.date]:
    return run.first_day, run.last_day


def test_the_window_is_the_last_seven_days_with_reports_in_them(version: Version) -> None:
    for day in (12, 10, 9, 4, 3):
        send_words(version, 100, day=days_ago(day))
    assert window(start_run(version, ring=False)) == (days_ago(9), days_ago(3))
    assert window(start_run(version, last=days_ago(4), ring=False)) == (days_ago(10), days_ago(4))
    assert window(start_run(version, last=days_ago(6), ring=False)) == (days_ago(12), days_ago(9))
    assert window(start_run(version, days_ago(12), ring=False)) == (days_ago(12), days_ago(3))
    assert window(start_run(version, days_ago(10), days_ago(5), ring=False)) == (days_ago(10), days_ago(9))


def test_a_locale_is_published_under_its_own_days(version: Version) -> None:
    send_words(version, 200, day=days_ago(4))
    for day in (3, 2):
        send_words(version, 200, locale="fr_FR", day=days_ago(day))
    aggregate(version)
    found = Histogram.objects.values_list("locale", "first_day", "last_day")
    assert set(found) == {("en_US", days_ago(4), days_ago(4)), ("fr_FR", days_ago(3), days_ago(2))}


def test_words_that_nobody_typed_give_a_histogram_without_any(version: Version) -> None:
    """So many different ones that none stands out: that, too, is a result."""
    letters = ALPHABETS["en_US"]
    rare = {a + b + c: 1 / len(letters) ** 3 for a in letters for b in letters for c in letters}
    send_words(version, 150, words=rare)
    aggregate(version)
    histogram = Histogram.objects.get()
    assert (histogram.n, histogram.entries.size, histogram.below_threshold) == (150, 0, 0)
    assert histogram.discovery.candidates == 0
    assert histogram.threshold is not None
    assert histogram.threshold > 0


@commits
def test_a_locale_without_an_alphabet_fails_the_run_in_words(version: Version) -> None:
    send_words(version, 200)
    Version.objects.update(alphabet={"fr_FR": "abc"})
    run = finish_inline(start_run(version, ring=False))
    assert run.state == Run.State.FAILED
    assert run.failure == "The version has no alphabet for the locale en_US. Define a new version that has one."
    assert not run.parts.exclude(step=Part.Step.SKETCH).exists()


def test_days_that_are_over_are_searched_without_being_asked(version: Version) -> None:
    for day in (9, 1, 0):
        send_words(version, 150, day=days_ago(day))
    start_runs_of_finished_days()
    start_runs_of_finished_days()
    run = Run.objects.get()
    assert (*window(run), run.requested_by) == (days_ago(1), days_ago(1), None)
    finish_inline(run)
    assert Histogram.objects.get().n == 150
    start_runs_of_finished_days()
    assert Run.objects.count() == 1, "what is older than a window waits until it is sealed"
    seal_finished_days()
    start_runs_of_finished_days()
    finish_inline(Run.objects.latest("created_at"))
    assert sorted(ReadOut.objects.values_list("day", flat=True)) == [days_ago(9), days_ago(1)]
    start_runs_of_finished_days()
    assert Run.objects.count() == 2
    assert Histogram.objects.get().n == 150, "older days are sketched, but not searched"
    send_words(version, 150, day=days_ago(2))
    soon = timezone.now() + datetime.timedelta(hours=1)
    Run.objects.update(state=Run.State.FAILED, not_before=soon)
    start_runs_of_finished_days()
    assert Run.objects.count() == 2, "after a failure none is ordered before its time"
    Run.objects.update(not_before=timezone.now())
    start_runs_of_finished_days()
    assert window(Run.objects.latest("created_at")) == (days_ago(2), days_ago(1))


def test_all_that_is_sealed_is_sketched_and_the_window_searched(version: Version) -> None:
    for seed, day in enumerate((30, 9, 2)):
        send_words(version, 200, day=days_ago(day), seed=seed)
    seal_days(version)
    send_words(version, 200, day=days_ago(1), seed=4)
    run = aggregate(version, days_ago(9), days_ago(2))
    assert sorted(ReadOut.objects.values_list("day", flat=True)) == [days_ago(day) for day in (30, 9, 2)]
    assert run.parts.filter(step=Part.Step.SKETCH).count() == 3
    assert (Histogram.objects.get().n, Histogram.objects.get().first_day) == (400, days_ago(9))
    # A day that is over, however old, is reason enough for a run, once it is sealed.
    aggregate(version)
    send_words(version, 200, day=days_ago(40), seed=5)
    seal_days(version)
    start_runs_of_finished_days()
    newest = Run.objects.latest("created_at")
    assert window(newest) == (days_ago(2), days_ago(1))
    assert finish_inline(newest).state == Run.State.FINISHED
    assert ReadOut.objects.filter(day=days_ago(40)).exists()


def test_a_lower_minimum_is_reason_enough_for_a_run() -> None:
    version = define_words(minimum_reports=1000)
    send_words(version, 300, day=days_ago(2))
    send_words(version, 300, locale="fr_FR", day=days_ago(1))
    aggregate(version)
    start_runs_of_finished_days()
    assert Run.objects.count() == 1
    define_words(minimum_reports=300)
    start_runs_of_finished_days()
    finish_inline(Run.objects.latest("created_at"))
    assert Histogram.objects.count() == 2
    start_runs_of_finished_days()
    assert Run.objects.count() == 2


def test_what_waits_for_more_reports_is_not_searched_again_and_again(version: Version) -> None:
    send_words(version, 300, day=days_ago(2))
    aggregate(version)
    send_words(version, 50, day=days_ago(1))
    aggregate(version)
    start_runs_of_finished_days()
    assert Run.objects.count() == 2


def test_a_run_that_was_overtaken_looks_in_what_there_is(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in (1, 0):
        send_words(version, 300, day=days_ago(day), seed=day)
    first = start_run(version, ring=False)
    begin(first.pk)
    send_words(version, 300, day=days_ago(0), seed=3)
    aggregate(version, days_ago(0))
    finish_inline(first)
    # Each looks in the periods there are when it begins to: the first in those of both days, as the other left them.
    assert {(h.first_day, h.n) for h in Histogram.objects.all()} == {(days_ago(0), 600), (days_ago(1), 900)}
    monkeypatch.setattr("reports.runs.ordering.utc_today", lambda: days_ago(-1))
    start_runs_of_finished_days()
    assert Run.objects.count() == 2


def test_what_is_sealed_after_a_run_was_planned_is_not_in_it(version: Version) -> None:
    """The run that has seen more has the last word."""
    send_words(version, 500)
    first = start_run(version, ring=False)
    begin(first.pk)
    send_words(version, 400, seed=1)
    aggregate(version)
    assert Histogram.objects.get().n == 900
    assert finish_inline(first).state == Run.State.FINISHED
    assert Histogram.objects.get().n == 900
