"""Runs in this process: what is read, what is published, what happens when something breaks."""

from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.utils import timezone

from reports.models import Batch, Histogram, Part, PendingFile, ReadOut, Run, Shard
from reports.results import HistogramQuery, histogram_view
from reports.runs import (
    NothingToAggregate,
    cutting,
    finish_inline,
    progress_of,
    retry,
    start_run,
    sweep,
    take_up_expired,
    work_on,
)
from reports.runs.cutting import row_ranges
from reports.runs.handing_in import hand_in
from reports.runs.parts import begin, claim, complete
from reports.runs.planning import start_runs_of_finished_days
from reports.runs.steps import Result
from reports.storage import open_array
from tests.reports.small_fleet import FRUITS, aggregate, days_ago, define, estimates, send
from tests.reports.threads import together

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


def files() -> list[Path]:
    return [path for path in Path(settings.STORAGES["shards"]["OPTIONS"]["location"]).rglob("*") if path.is_file()]


def test_a_run_publishes_each_day_and_the_whole_window_for_each_locale() -> None:
    version = define()
    for locale in ("en_US", "fr_FR"):
        for day in (2, 1):
            send(version, 300, locale=locale, day=days_ago(day), seed=day)
    run = aggregate(version)
    assert (run.first_day, run.last_day) == (days_ago(2), days_ago(1))
    windows = {(h.locale, h.first_day, h.last_day): h.n for h in Histogram.objects.all()}
    days = [(days_ago(2), days_ago(2), 300), (days_ago(1), days_ago(1), 300), (days_ago(2), days_ago(1), 600)]
    expected = {(locale, first, last): n for locale in ("en_US", "fr_FR") for first, last, n in days}
    assert windows == expected


def test_a_run_publishes_the_weeks_that_are_over() -> None:
    """From Monday to Sunday, if the locale was counted before and after; of days that are too few by themselves."""
    version = define()
    for day in range(1, 22):
        send(version, 25, day=days_ago(day))
    aggregate(version)
    mondays = [days_ago(day) for day in range(21, 6, -1) if days_ago(day).weekday() == 0]
    assert len(mondays) >= 2
    weeks = {(monday, monday + timedelta(days=6)) for monday in mondays}
    whole = (days_ago(21), days_ago(1))
    assert set(Histogram.objects.values_list("first_day", "last_day")) == weeks | {whole}
    assert set(Histogram.objects.values_list("n", flat=True)) == {175, 525}


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
    entries = list(histogram.entries.order_by("rank"))
    assert [entry.element for entry in entries] == ["apple", "banana", "cherry"]
    for entry, count in zip(entries, truth.tolist()[:3], strict=True):
        # Six standard errors: a false alarm once in 5·10⁸ for a fixed seed that never changes.
        assert abs(entry.estimate - count) < 6 * entry.standard_error
        assert entry.adjusted_lower <= entry.lower < entry.estimate < entry.upper <= entry.adjusted_upper
    assert histogram.below_threshold == 3
    assert histogram.threshold is not None
    assert min(entry.estimate for entry in entries) >= histogram.threshold


def test_the_cut_into_parts_changes_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = define()
    send(whole, 200)
    aggregate(whole)
    expected = estimates(Histogram.objects.get())
    Histogram.objects.all().delete()
    ReadOut.objects.all().delete()
    monkeypatch.setattr(cutting, "LOOK_UPS_PER_PART", 60 * len(FRUITS))
    run = aggregate(whole)
    assert run.parts.count() == 4
    assert estimates(Histogram.objects.get()) == expected


@pytest.mark.parametrize(
    ("rows", "sizes", "elements"),
    [
        (1, [5], 3),
        (64, [10**9], 6),
        (65536, [10**6], 2623),
        (65536, [10**6] * 32, 25_000),
        (1024, [5 * 10**6], 250_000),
    ],
)
def test_row_ranges_cover_all_rows_once(rows: int, sizes: list[int], elements: int) -> None:
    ranges = list(row_ranges(rows, sizes, elements))
    assert [start for start, _stop in ranges] == [0, *(stop for _start, stop in ranges[:-1])]
    assert ranges[-1][1] == rows
    assert len(ranges) <= cutting.MOST_RANGES


def test_more_work_makes_more_ranges() -> None:
    few = len(list(row_ranges(1024, [10**6], 25_000)))
    assert few < len(list(row_ranges(1024, [10**6], 250_000))) < len(list(row_ranges(1024, [10**6] * 32, 250_000)))


@pytest.mark.parametrize("elements", [250_000, 10**6, 5 * 10**6])
@pytest.mark.parametrize("rows", [1024, 65536])
def test_results_of_a_group_are_bounded_as_long_as_leases_allow(rows: int, elements: int) -> None:
    sizes = [10**6] * cutting.SHARDS_PER_PART
    ranges = list(row_ranges(rows, sizes, elements))
    result = 8 * elements * len(sizes)
    look_ups = min(sum(sizes), rows) * elements * (1 + len(sizes) // cutting.SHARDS_PER_HASH)
    bounded = len(ranges) * result <= cutting.RESULT_BYTES
    assert bounded or look_ups // len(ranges) >= cutting.MOST_LOOK_UPS_PER_PART // 2
    # No part takes longer than the bound says, but for rounding and the greatest number of ranges.
    assert look_ups // len(ranges) <= 2 * cutting.MOST_LOOK_UPS_PER_PART or len(ranges) > cutting.MOST_RANGES // 2


@pytest.mark.parametrize(("rows", "shards", "elements"), [(1024, 7, 250_000), (1024, 32, 250_000), (65536, 1, 25_000)])
def test_two_workers_share_evenly_at_the_sizes_of_domains(rows: int, shards: int, elements: int) -> None:
    lengths = [stop - start for start, stop in row_ranges(rows, [10**6] * shards, elements)]
    # When the other has nothing left, at most one part is to be done: a tenth of the whole.
    assert max(lengths) <= rows / 10


def test_a_day_is_read_out_once() -> None:
    version = define()
    send(version, 200, day=days_ago(2))
    aggregate(version)
    send(version, 200, day=days_ago(1))
    run = aggregate(version)
    assert list(run.shards.values_list("day", flat=True)) == [days_ago(1)]
    assert ReadOut.objects.count() == 2
    assert Histogram.objects.filter(first_day=days_ago(2), last_day=days_ago(1)).get().n == 400


def test_running_again_changes_nothing() -> None:
    version = define()
    send(version, 200)
    aggregate(version)
    before = list(Histogram.objects.values())
    run = aggregate(version)
    assert not run.parts.exists()
    assert list(Histogram.objects.values()) == before


def test_a_new_dictionary_is_read_out_over_the_same_reports() -> None:
    version = define()
    send(version, 2000)
    aggregate(version)
    version = define(dictionary=["banana", "quince"])
    aggregate(version)
    histogram = Histogram.objects.get(replaced=False)
    assert histogram.revision is not None
    assert (histogram.revision.number, histogram.n) == (2, 2000)
    assert list(estimates(histogram)) == ["banana"]
    assert not Histogram.objects.get(replaced=True).entries.exists()


def test_a_run_seals_its_days_and_leaves_only_what_is_owned() -> None:
    version = define()
    send(version, 200)
    send(version, 200)
    aggregate(version)
    shard = Shard.objects.get()
    assert (shard.batch, shard.size) == (None, 400)
    assert set(Batch.objects.values_list("state", flat=True)) == {Batch.State.SEALED}
    assert len(files()) == 2  # the sealed shard and the read-out
    assert not PendingFile.objects.exists()


def test_below_the_minimum_nothing_is_published() -> None:
    version = define(minimum_reports=500)
    send(version, 499)
    run = aggregate(version)
    assert run.state == Run.State.FINISHED
    assert not Histogram.objects.exists()


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
    begin(first.pk)
    assert start_run(version, ring=False) == first
    # What arrives once the run is planned is not in it.
    send(version, 200, day=days_ago(1))
    assert start_run(version, ring=False) != first


def test_a_part_delivered_twice_is_done_once() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    work_on(part_id)
    work_on(part_id)
    assert Run.objects.get().state == Run.State.FINISHED
    assert Part.objects.get().attempts == 1
    assert Histogram.objects.get().n == 200


def test_a_leased_part_is_left_alone_until_its_lease_expires() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    assert claim(part_id) is not None  # a worker that is about to die
    work_on(part_id)
    sweep()
    assert progress_of(Run.objects.get()).done == 0
    Part.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    sweep()
    assert Run.objects.get().state == Run.State.FINISHED
    assert Part.objects.get().attempts == 2


def test_a_worker_that_comes_back_late_hands_in_nothing() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    late = claim(part_id)
    assert late is not None
    Part.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    work_on(part_id)
    published = list(Histogram.objects.values())
    hand_in(late, Result(np.full((1, len(FRUITS)), 10**6)))
    complete(run.pk)
    assert list(Histogram.objects.values()) == published
    assert len(files()) == 2
    assert not PendingFile.objects.exists()


def test_the_sweep_finds_a_run_whose_message_was_lost() -> None:
    version = define()
    send(version, 200)
    start_run(version, ring=False)
    sweep()
    assert Run.objects.get().state == Run.State.WAITING  # it may still be on its way
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    sweep()
    assert Run.objects.get().state == Run.State.FINISHED


def test_the_sweep_publishes_what_a_dead_worker_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    with monkeypatch.context() as context:
        context.setattr("reports.runs.parts.complete", lambda *_run, **_how: None)
        work_on(part_id)
    assert not Histogram.objects.exists()
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    sweep()
    assert Histogram.objects.get().n == 200


def test_a_missing_file_fails_the_run_in_plain_words_and_retry_mends_it() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    begin(run.pk)
    shard = Shard.objects.get()
    (path,) = (path for path in files() if path.name == Path(shard.file_name).name)
    hidden = path.rename(path.with_suffix(".gone"))
    run = finish_inline(run.pk, lambda _progress: None)
    assert run.state == Run.State.FAILED
    assert "missing from the storage" in run.failure
    assert not Histogram.objects.exists()
    hidden.rename(path)
    retry(run)
    assert finish_inline(run.pk, lambda _progress: None).state == Run.State.FINISHED
    assert Histogram.objects.get().n == 200


def test_a_failure_while_publishing_leaves_nothing_half_done(monkeypatch: pytest.MonkeyPatch) -> None:
    version = define()
    send(version, 200)

    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    run = start_run(version, ring=False)
    with monkeypatch.context() as context:
        context.setattr("reports.runs.publishing.publish_windows", fail)
        run = finish_inline(run.pk, lambda _progress: None)
    assert run.state == Run.State.FAILED
    assert "No space left" in run.failure
    assert not ReadOut.objects.exists()
    assert not PendingFile.objects.exists()
    retry(run)
    assert finish_inline(run.pk, lambda _progress: None).state == Run.State.FINISHED


def test_read_outs_hold_the_exact_integers() -> None:
    version = define()
    send(version, 500)
    aggregate(version)
    shard, read_out = Shard.objects.get(), ReadOut.objects.get()
    mechanism = version.mechanism
    sketch = np.zeros((1024, 64), dtype=np.int64)
    for record in open_array(shard.file_name):
        sketch[record["row"]] += np.unpackbits(record["bits"])
    expected = [sum(sketch[row, mechanism.family.bucket(fruit, row, 64)] for row in range(1024)) for fruit in FRUITS]
    assert open_array(read_out.file_name).tolist() == expected


def test_progress_names_its_stages() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    assert (progress_of(run).stage, progress_of(run).percent) == ("waiting", 0)
    begin(run.pk)
    assert progress_of(Run.objects.get()).stage == "reading out"
    run = finish_inline(run.pk, lambda _progress: None)
    assert (progress_of(run).stage, progress_of(run).percent) == ("finished", 100)


def test_a_part_that_ends_every_worker_fails_the_run_in_the_end() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    for _ in range(3):
        assert claim(part_id) is not None  # and the kernel ends the process
        Part.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    sweep()
    failed = Run.objects.get()
    assert failed.state == Run.State.FAILED
    assert "out of memory" in failed.failure


def test_of_several_that_claim_a_part_at_once_one_gets_it() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    claimed = together(6, lambda: claim(part_id))
    assert sum(part is not None for part in claimed) == 1
    assert Part.objects.get().attempts == 1


def test_several_that_take_up_a_run_at_once_finish_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "LOOK_UPS_PER_PART", 60 * len(FRUITS))
    version = define()
    for locale in ("en_US", "fr_FR"):
        send(version, 150, locale=locale)
        send(version, 150, locale=locale)
    run = start_run(version, ring=False)
    done = together(3, lambda: finish_inline(run.pk, lambda _progress: None).state)
    assert done == [Run.State.FINISHED] * 3
    assert {h.locale: h.n for h in Histogram.objects.all()} == {"en_US": 300, "fr_FR": 300}
    assert not Part.objects.exclude(attempts=1).exists()
    assert not PendingFile.objects.exists()


def test_retry_leaves_a_run_alone_that_is_under_way() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    leased = claim(part_id)
    assert leased is not None
    retry(run)
    part = Part.objects.get()
    assert (part.attempts, part.lease_expires_at) == (1, leased.lease_expires_at)


def test_whoever_waits_for_a_run_takes_up_what_a_dead_planner_left() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    Run.objects.update(state=Run.State.RUNNING)  # and then its planner was gone
    take_up_expired(run.pk)
    assert Run.objects.get().planned_at is None  # it may still be at it
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    take_up_expired(run.pk)
    assert Run.objects.get().state == Run.State.FINISHED


def test_days_that_are_over_are_counted_without_being_asked() -> None:
    version = define()
    send(version, 150, day=days_ago(1))
    send(version, 150, day=days_ago(0))
    start_runs_of_finished_days()
    start_runs_of_finished_days()
    run = Run.objects.get()
    assert (run.first_day, run.last_day, run.requested_by) == (days_ago(1), days_ago(1), None)
    finish_inline(run.pk, lambda _progress: None)
    assert Histogram.objects.get().n == 150
    start_runs_of_finished_days()
    assert Run.objects.count() == 1
    # A dictionary that was changed is counted as well; after a failure somebody has to look first.
    define(dictionary=["apple"])
    start_runs_of_finished_days()
    assert Run.objects.count() == 2
    Run.objects.update(state=Run.State.FAILED)
    start_runs_of_finished_days()
    assert Run.objects.count() == 2
