"""Runs in this process: what is read, what is published."""

from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from aggregation.mechanisms import CountMeanSketch
from reports.jobs import finish_inline
from reports.jobs.failing import fail
from reports.jobs.working import begin
from reports.models import Batch, Histogram, Part, PendingFile, PeriodTotal, ReadOut, Run, Shard
from reports.results import HistogramQuery, histogram_view
from reports.runs import NothingToAggregate, start_run
from reports.runs.ordering import start_runs_of_finished_days
from reports.storage import open_array
from tests.reports.factories import stored_files
from tests.reports.small_fleet import FRUITS, LOCALES, aggregate, days_ago, define, estimates, send
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]
# Where files go once it is committed, and where a failure ends the connection.
commits = pytest.mark.django_db(transaction=True)


@once
def two_days() -> Run:
    """A run over two days of two locales."""
    version = define()
    for locale in LOCALES:
        for day in (2, 1):
            send(version, 300, locale=locale, day=days_ago(day), seed=day)
    return aggregate(version)


def test_a_run_publishes_each_day_and_the_whole_window_for_each_locale() -> None:
    run = two_days()
    assert (run.first_day, run.last_day) == (days_ago(2), days_ago(1))
    windows = {(h.locale, h.first_day, h.last_day): h.n for h in Histogram.objects.all()}
    days = [(days_ago(2), days_ago(2), 300), (days_ago(1), days_ago(1), 300), (days_ago(2), days_ago(1), 600)]
    assert windows == {(locale, first, last): n for locale in LOCALES for first, last, n in days}


def test_a_run_makes_the_weeks_that_are_over() -> None:
    """From Monday to Sunday."""
    version = define()
    for day in range(1, 22):
        send(version, 100, day=days_ago(day))
    aggregate(version)
    mondays = [days_ago(day) for day in range(27, 6, -1) if days_ago(day).weekday() == 0]
    weeks = {(max(monday, days_ago(21)), monday + timedelta(days=6)) for monday in mondays}
    days = {(days_ago(day), days_ago(day)) for day in range(1, 22)}
    assert len(weeks) >= 2
    # Its page opens with the newest seven days, and what changed since the seven before.
    opened = {(days_ago(7), days_ago(1)), (days_ago(14), days_ago(8))}
    made = set(Histogram.objects.values_list("first_day", "last_day"))
    assert made == {*weeks, *days, *opened, (days_ago(21), days_ago(1))}


def test_a_window_is_named_by_the_days_that_its_locale_has() -> None:
    version = define()
    send(version, 300, locale="en_US", day=days_ago(4))
    for day in (3, 2):
        send(version, 300, locale="fr_FR", day=days_ago(day))
    aggregate(version)
    before = Histogram.objects.count()
    view = histogram_view(version.use_case, HistogramQuery(locale="fr_FR"))
    assert view.histogram is not None
    assert (view.histogram.first_day, view.histogram.last_day) == (days_ago(3), days_ago(2))
    # The run has made it: looking adds none.
    assert Histogram.objects.count() == before == 4


def test_estimates_are_near_the_truth_and_ranked() -> None:
    version = define()
    _receipt, truth = send(version, 5000)
    aggregate(version)
    histogram = Histogram.objects.get()
    entries = list(histogram.entries)
    assert [entry.element for entry in entries] == ["apple", "banana", "cherry"]
    for entry, count in zip(entries, truth.tolist()[:3], strict=True):
        # Six standard errors: a false alarm once in 5·10⁸ for a fixed seed that never changes.
        assert abs(entry.estimate - count) < 6 * entry.standard_error
        assert entry.adjusted_lower <= entry.lower < entry.estimate < entry.upper <= entry.adjusted_upper
    assert histogram.below_threshold == 3
    assert histogram.threshold is not None
    assert min(entry.estimate for entry in entries) >= histogram.threshold


def test_a_day_is_read_out_once() -> None:
    version = two_days().version
    before, shown = list(ReadOut.objects.order_by("pk").values()), list(Histogram.objects.order_by("pk").values())
    assert not aggregate(version).parts.exists()
    assert list(Histogram.objects.order_by("pk").values()) == shown, "running again changes nothing"
    send(version, 200)
    aggregate(version)
    assert list(ReadOut.objects.order_by("pk").values())[: len(before)] == before
    assert ReadOut.objects.get(day=days_ago(0)).n == 200
    assert Histogram.objects.get(locale="en_US", first_day=days_ago(2), last_day=days_ago(0)).n == 800


@commits
def test_a_new_dictionary_is_read_out_over_the_same_reports() -> None:
    version = define()
    send(version, 2000)
    aggregate(version)
    version = define(dictionary=["banana", "quince"])
    aggregate(version)
    histogram = Histogram.objects.get()
    assert histogram.revision is not None
    assert (histogram.revision.number, histogram.n) == (2, 2000)
    assert list(estimates(histogram)) == ["banana"]
    # In place of the counts of before, whose file is gone.
    assert ReadOut.objects.get().revision == histogram.revision
    assert len(stored_files()) == 2


@commits
def test_a_run_seals_its_days_and_leaves_only_what_is_owned() -> None:
    two_days()
    assert {(shard.batch_id, shard.size) for shard in Shard.objects.all()} == {(None, 300)}
    assert set(Batch.objects.values_list("state", flat=True)) == {Batch.State.SEALED}
    owned = [*Shard.objects.all(), *ReadOut.objects.all()]
    assert len(owned) == 8
    # On the first days of a month, the totals of the one before.
    totals = PeriodTotal.objects.all()
    assert stored_files().keys() == {owner.file_name for owner in (*owned, *totals)}
    assert not PendingFile.objects.exists()


def test_nothing_to_aggregate_says_what_is_missing() -> None:
    with pytest.raises(NothingToAggregate, match="no reports"):
        start_run(define(), ring=False)
    with pytest.raises(NothingToAggregate, match="no dictionary"):
        start_run(define(dictionary=[]), ring=False)


def test_an_unfinished_run_for_the_same_window_is_joined() -> None:
    version = define()
    send(version, 200)
    first = start_run(version, ring=False)
    assert start_run(version, ring=False) == first
    begin(first)
    assert start_run(version, ring=False) == first
    # Reports that arrive once the run is planned are not in it.
    send(version, 200, day=days_ago(1))
    assert start_run(version, ring=False) != first


def test_read_outs_hold_the_exact_integers() -> None:
    mechanism = two_days().version.mechanism
    assert isinstance(mechanism, CountMeanSketch)
    read_out = ReadOut.objects.earliest("pk")
    sketch = np.zeros((1024, 64), dtype=np.int64)
    for record in open_array(Shard.objects.get(sealing=read_out.sealing, locale=read_out.locale).file_name):
        sketch[record["row"]] += np.unpackbits(record["bits"])
    expected = [sum(sketch[row, mechanism.family.bucket(fruit, row, 64)] for row in range(1024)) for fruit in FRUITS]
    assert open_array(read_out.file_name).tolist() == expected


def test_days_that_are_over_are_counted_without_being_asked() -> None:
    version = define()
    send(version, 150, day=days_ago(1))
    send(version, 150, day=days_ago(0))
    start_runs_of_finished_days()
    start_runs_of_finished_days()
    run = Run.objects.get()
    assert (run.first_day, run.last_day, run.requested_by) == (days_ago(1), days_ago(1), None)
    finish_inline(run)
    assert Histogram.objects.get().n == 150
    start_runs_of_finished_days()
    assert Run.objects.count() == 1
    # A dictionary that was changed is counted as well.
    define(dictionary=["apple"])
    start_runs_of_finished_days()
    assert Run.objects.count() == 2


@commits
def test_after_a_failed_run_days_are_counted_by_another_later_each_time() -> None:
    version = define()
    send(version, 150, day=days_ago(1))
    pauses = []
    for number in range(1, 8):
        start_runs_of_finished_days()
        begin(Run.objects.latest("created_at"))
        fail(Run.objects.latest("created_at"), KeyError())
        start_runs_of_finished_days()
        failed = Run.objects.latest("created_at")
        assert (failed.state, Run.objects.count()) == (Run.State.FAILED, number)
        assert failed.finished_at is not None
        assert failed.not_before is not None
        pauses.append(round((failed.not_before - failed.finished_at) / timedelta(hours=1)))
        Run.objects.update(not_before=timezone.now())
    assert pauses == [1, 2, 4, 8, 16, 24, 24]
    start_runs_of_finished_days()
    # The failed runs' work is done by this one, and kept no longer.
    assert not Part.objects.exists()
    done = finish_inline(Run.objects.latest("created_at"))
    assert (done.state, Run.objects.count(), Histogram.objects.get().n) == (Run.State.FINISHED, 8, 150)
    # After it the first failure is the first again.
    send(version, 150, day=days_ago(1))
    fail(start_run(version, ring=False), KeyError())
    failed = Run.objects.latest("created_at")
    assert failed.not_before is not None
    assert failed.not_before < timezone.now() + timedelta(hours=1)
