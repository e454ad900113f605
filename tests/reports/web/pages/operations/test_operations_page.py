"""The page of those who see to it that everything goes on: what it tells, to whom, and what to do next."""

import datetime
import re

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from reports.collection import seal_days
from reports.evaluation import cancel_evaluation, delete_evaluation
from reports.jobs import finish_inline
from reports.jobs.failing import fail, postpone
from reports.jobs.host_heartbeat import end_heartbeats, record_host
from reports.jobs.tasks import sweep, work
from reports.models import (
    Batch,
    DeviceRecord,
    DroppedReports,
    Evaluation,
    Part,
    Run,
    UseCase,
    Version,
    WorkerHeartbeat,
    WorkerHost,
)
from reports.runs import start_run
from reports.storage import StorageUnavailable
from tests.conftest import logged_in
from tests.reports.evaluation.test_evaluations import order
from tests.reports.runs.stepwise import begin, claim
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send, send_words
from tests.reports.suspicious import send_lines, suspicious_lines
from tests.reports.web.pages.reading import plain, text_of, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ADDRESS = "/operations/"


def page(client: Client, address: str = ADDRESS) -> str:
    return words(client.get(address))


def text(client: Client, address: str = ADDRESS) -> str:
    return text_of(client.get(address))


def section(client: Client, title: str) -> str:
    """Return the text below a heading, up to the next of its rank."""
    found = re.search(rf"<h2[^>]*>{title}</h2>(.*?)(<h2|</main>)", page(client))
    assert found is not None, title
    return plain(found[1])


@pytest.fixture
def other(db: None) -> Version:
    """A use case of another owner."""
    parameters = {"epsilon": 8, "k": 1024, "m": 64, "seed": "0e" * 16}
    return define(
        slug="vegetables", title="Vegetables", owner_group="gardeners", viewer_groups=[], parameters=parameters
    )


# --- Who sees it ---


def test_owners_see_what_is_theirs_superusers_everything_and_nobody_else_that_it_exists(
    version: Version, other: Version, as_alice: Client, as_bob: Client, charlie: User, as_root: Client
) -> None:
    for each in (version, other):
        send(each, 150, day=days_ago(1))
        aggregate(each)
    link = 'href="/operations/"'
    assert link in page(as_root, "/")
    assert "Fruits" in page(as_root)
    assert "Vegetables" in page(as_root)
    assert link in page(as_alice, "/")
    assert "Fruits" in page(as_alice)
    assert "Vegetables" not in page(as_alice)
    for client in (as_bob, logged_in(charlie)):
        assert link not in page(client, "/")
        assert client.get(ADDRESS).status_code == 404
        assert client.get(f"{ADDRESS}?live").status_code == 404


def test_an_empty_site_has_nothing_to_tell(as_root: Client) -> None:
    assert "There is no use case yet. See how to begin" in text(as_root)
    assert section(as_root, "Under way") == "No run waits for a worker."
    assert section(as_root, "Not counted yet").startswith("All reports that can be counted now are counted.")
    assert "None yet." in section(as_root, "Last runs")
    define()
    assert "Nothing is stored yet: no reports have come in." in text(as_root)


# --- Runs ---


def test_a_run_under_way_is_followed(version: Version, as_alice: Client) -> None:
    send(version, 150, day=days_ago(1))
    run = start_run(version, ring=False)
    assert "1 run waits for a worker." in section(as_alice, "Under way")
    for row in range(4):
        Part.objects.create(run=run, start_row=row, stop_row=row + 1, stop_shard=1)
    now = timezone.now()
    Run.objects.update(state=Run.State.RUNNING, started_at=now, planned_at=now)
    Part.objects.filter(start_row=0).update(finished_at=now)
    Part.objects.filter(start_row=1).update(lease_expires_at=now + datetime.timedelta(minutes=1))
    WorkerHeartbeat.objects.create(seen_at=now)
    read = section(as_alice, "Under way")
    assert re.search(r"2 parts wait for a worker. The oldest was ordered [\d.]+ s ago. A worker is at work now.", read)
    assert "Reading out · 1 of 4 parts are done · 1 part is being worked on · ordered" in read
    shown = page(as_alice)
    assert '<progress max="100" value="20"' in shown
    assert "progress.js" in shown
    assert '<meta http-equiv="refresh"' in shown
    fragment = page(as_alice, f"{ADDRESS}?live")
    assert "<html" not in fragment
    assert f'data-step="{run.pk} running 1 "' in fragment
    # A form's token differs each time, and what a script follows must not.
    assert "csrf" not in fragment


def test_without_a_sign_of_life_it_says_what_to_do(version: Version, as_alice: Client) -> None:
    missing = "No worker seems to run."
    assert f"{missing} No worker has sent a heartbeat yet." in text(as_alice)
    sweep()  # as beat rings for it
    assert missing not in text(as_alice)
    assert "The last heartbeat of a worker is less than two minutes old." in section(as_alice, "Under way")
    silent = datetime.datetime(2026, 3, 31, 14, 5, tzinfo=datetime.UTC)
    WorkerHeartbeat.objects.update(seen_at=silent)
    read, last = text(as_alice, f"{ADDRESS}?live"), date_format(silent, "SHORT_DATETIME_FORMAT")
    assert f"{missing} The last heartbeat of a worker: {last} UTC." in read
    assert "celery -A ldpsite worker --beat" in read
    sweep()
    assert WorkerHeartbeat.objects.count() == 1
    assert missing not in text(as_alice)


def test_superusers_are_told_of_each_worker_host(version: Version, as_alice: Client, as_root: Client) -> None:
    assert "Worker hosts" not in text(as_root)
    record_host()
    record_host()
    host = WorkerHost.objects.get()
    now = timezone.now()
    WorkerHost.objects.update(free_disk_share=0.42)
    WorkerHost.objects.create(name="full", seen_at=now, free_disk_share=0.09)
    WorkerHost.objects.create(name="gone", seen_at=now - datetime.timedelta(minutes=3), free_disk_share=0.5)
    WorkerHost.objects.create(name="forgotten", seen_at=now - datetime.timedelta(days=2), free_disk_share=0.5)
    read = section(as_root, "Under way")
    attention = re.findall(r'<li class="notice error">(.*?)</li>', page(as_root))
    assert [line.partition(":")[0] for line in attention] == ["full", "gone"]
    assert "full: alive, 9 % of its disk is free" in read
    assert re.search(r"gone: no heartbeat since .* UTC", read)
    assert f"{host.name}: alive, 42 % of its disk is free" in read
    assert "forgotten" not in read
    assert "Worker hosts" not in text(as_alice)
    record_host()
    assert not WorkerHost.objects.filter(name="forgotten").exists()
    end_heartbeats()
    assert set(WorkerHost.objects.values_list("name", flat=True)) == {"full", "gone"}


def test_workers_that_are_busy_with_what_is_of_others_are_alive(
    version: Version, other: Version, as_alice: Client
) -> None:
    for each in (version, other):
        send(each, 150, day=days_ago(1))
    start_run(version, ring=False)
    busy = start_run(other, ring=False)
    now = timezone.now()
    WorkerHeartbeat.objects.create(seen_at=now - datetime.timedelta(minutes=1))
    Run.objects.filter(pk=busy.pk).update(state=Run.State.RUNNING, planned_at=now)
    Part.objects.create(run=busy, lease_expires_at=now + datetime.timedelta(minutes=1))
    read = text(as_alice)
    assert "No worker seems to run." not in read
    assert "A worker is at work now." in read
    assert "Vegetables" not in read


def test_who_aggregates_without_a_worker_is_none(version: Version, as_alice: Client) -> None:
    """Neither while a part of it is being worked on, nor when it is done."""
    send(version, 150, day=days_ago(1))
    run = start_run(version, ring=False)
    (part,) = begin(run.pk)
    assert claim(part) is not None
    assert "No worker seems to run. No worker has sent a heartbeat yet." in text(as_alice)
    WorkerHeartbeat.objects.create(seen_at=timezone.now() - datetime.timedelta(minutes=3))
    assert "No worker seems to run. The last heartbeat of a worker:" in text(as_alice)
    Part.objects.update(lease_expires_at=None)
    aggregate(version)
    assert "No worker seems to run. The last heartbeat of a worker:" in text(as_alice)


def test_a_worker_that_takes_up_a_run_gives_a_sign(version: Version, as_alice: Client) -> None:
    send(version, 150, day=days_ago(1))
    run = start_run(version, ring=False)
    work("reports.run", str(run.pk))
    assert "The last heartbeat of a worker is less than two minutes old." in section(as_alice, "Under way")
    silent = timezone.now() - datetime.timedelta(minutes=3)
    WorkerHeartbeat.objects.update(seen_at=silent)
    work("reports.run", str(run.pk))
    assert "No worker seems to run." not in text(as_alice)


def test_a_failed_run_says_why_and_is_retried(version: Version, as_alice: Client, as_bob: Client) -> None:
    send(version, 150, day=days_ago(1))
    run = start_run(version, ring=False)
    Run.objects.update(state=Run.State.FAILED, failure="The disk is full.", finished_at=timezone.now())
    read = section(as_alice, "Failed runs")
    assert "The disk is full." in read
    retry = reverse("retry_run", args=[run.pk])
    assert re.search(rf'<button [^>]*form="retry" formaction="{retry}" aria-label="Retry: Fruits"', page(as_alice))
    assert '<form id="retry" method="post">' in page(as_alice)
    assert as_bob.post(retry).status_code == 404
    assert as_alice.post(retry).headers["Location"] == reverse("run", args=[run.pk])
    assert "Failed runs" not in page(as_alice)
    assert "1 run waits for a worker." in section(as_alice, "Under way")


def test_a_run_that_waits_for_the_storage_says_until_when(version: Version, as_alice: Client) -> None:
    send(version, 150, day=days_ago(1))
    run = start_run(version, ring=False)
    begin(run.pk)
    assert "1 part waits for a worker." in section(as_alice, "Under way")
    postpone(run, StorageUnavailable("SlowDown"))
    run.refresh_from_db()
    assert run.not_before is not None
    read = section(as_alice, "Under way")
    assert "No run waits for a worker." in read
    time = date_format(run.not_before, "DATETIME_FORMAT")
    assert (
        "Waiting for the storage, which cannot be read or written now (SlowDown). It tries again automatically at"
        f" {time} UTC. What was counted so far is kept."
    ) in read


def test_a_run_that_failed_says_when_another_may_be_ordered(version: Version, as_alice: Client) -> None:
    send(version, 150, day=days_ago(1))
    run = start_run(version, ring=False)
    fail(run, KeyError())
    run.refresh_from_db()
    assert run.not_before is not None
    time = date_format(run.not_before, "DATETIME_FORMAT")
    assert f"No other run starts automatically before {time} UTC." in section(as_alice, "Failed runs")


def test_what_failed_before_a_run_that_finished_needs_nobody(version: Version, as_alice: Client) -> None:
    send(version, 150, day=days_ago(1))
    start_run(version, ring=False)
    Run.objects.update(state=Run.State.FAILED)
    aggregate(version)
    assert "Failed runs" not in page(as_alice)
    assert section(as_alice, "Last runs").count("Fruits") == 2


def test_the_last_runs_tell_the_time_of_their_stages(version: Version, as_alice: Client) -> None:
    send(version, 150, day=days_ago(1))
    run = aggregate(version)
    start = datetime.datetime(2026, 3, 31, 12, tzinfo=datetime.UTC)
    Run.objects.update(
        created_at=start,
        started_at=start + datetime.timedelta(seconds=1.5),
        planned_at=start + datetime.timedelta(seconds=3),
        finished_at=start + datetime.timedelta(seconds=200),
    )
    run.parts.update(finished_at=start + datetime.timedelta(seconds=63))
    stages = "waiting 1.5 s · sealing days 1.5 s · reading out 1 min 0 s · publishing 2 min 17 s"
    assert f"{stages} 3 min 20 s" in section(as_alice, "Last runs")


def test_the_page_of_a_run_tells_owners_the_same(version: Version, as_alice: Client, as_bob: Client) -> None:
    send(version, 150, day=days_ago(1))
    run = aggregate(version)
    address = reverse("run", args=[run.pk])
    read = text(as_alice, address)
    assert re.search(r"Time of each stage Waiting .* s Sealing days .* s Reading out .* s Publishing .* s", read)
    assert "failed here" not in read
    assert as_bob.get(address).status_code == 404
    assert "Ended" in read
    Run.objects.update(state=Run.State.FAILED)
    assert re.search(r"Publishing [\d.]+ s failed here", text(as_alice, address))


# --- Evaluations ---


def test_evaluations_under_way_or_failed_are_listed_for_who_asked(
    version: Version, alice: User, bob: User, as_alice: Client, as_root: Client
) -> None:
    assert "Evaluations" not in page(as_alice, f"{ADDRESS}?live")
    under_way, failed, cancelled = order(user=alice), order(), order()
    of_bob = order(user=bob)
    Evaluation.objects.filter(pk=failed.pk).update(state=Evaluation.State.FAILED, failure="No memory.")
    cancel_evaluation(cancelled)
    Evaluation.objects.exclude(pk=of_bob.pk).update(requested_by=alice)
    Evaluation.objects.update(shared=True)
    read = section(as_alice, "Evaluations")
    assert read.count(" UTC ") == 2
    in_words = "30 elements · 500 reports · ε = 2, 4 · Count Mean Sketch"
    assert f"waiting · 0 % · {in_words}" in read
    assert f"failed · 0 % · {in_words} No memory." in read
    # Without a script the page asks again by itself while there is anything to follow.
    assert '<meta http-equiv="refresh"' in page(as_alice)
    fragment = page(as_alice, f"{ADDRESS}?live")
    assert f"{under_way.pk} waiting 0 " in fragment
    assert f'href="/evaluations/{under_way.pk}/"' in fragment
    assert f'href="/evaluations/{of_bob.pk}/"' in page(as_root)
    finish_inline(under_way)
    assert '<meta http-equiv="refresh"' not in page(as_alice)
    delete_evaluation(failed)
    assert "Evaluations" not in page(as_alice, f"{ADDRESS}?live")


# --- What waits to be counted ---


def waiting(client: Client) -> str:
    cache.clear()  # numbers may be a minute old
    return section(client, "Not counted yet")


def test_what_no_run_has_counted_is_told_with_what_comes_next(
    version: Version, other: Version, as_alice: Client
) -> None:
    send(other, 150, day=days_ago(1))
    send(version, 150)
    today = date_format(days_ago(0))
    assert re.search(rf"Fruits 100 {today} They are counted when the day is over \(UTC\)", waiting(as_alice))
    seal_days(version)
    assert re.search(rf"Fruits 150 {today} They are counted when the day is over \(UTC\)", waiting(as_alice))
    assert "Vegetables" not in waiting(as_alice)
    send(version, 50, day=days_ago(1), seed=1)
    seal_days(version)
    # Beside the 150 of today, which are published by themselves, a sum would tell.
    over = "Days that are over are counted within ten minutes, if a worker and its schedule run."
    assert re.search(rf"Fruits at least 100 .* – {today} {over}", waiting(as_alice))
    run = start_run(version, ring=False)
    assert "A run is under way." in waiting(as_alice)
    Run.objects.filter(pk=run.pk).update(state=Run.State.FAILED)
    assert "The last run failed. Another will start automatically; you can also retry this one now." in waiting(
        as_alice
    )
    aggregate(version)
    assert waiting(as_alice).startswith("All reports that can be counted now are counted.")


def test_without_a_dictionary_that_is_what_is_missing(version: Version, as_alice: Client) -> None:
    send(version, 37, day=days_ago(1))
    seal_days(version)
    assert "Fruits fewer than 100" in waiting(as_alice)
    version.dictionary_revisions.all().delete()
    assert "Nothing is counted before there is a dictionary: add one." in waiting(as_alice)


def test_of_what_devices_send_only_whole_lots_are_told(version: Version, as_alice: Client) -> None:
    def arrive(records: int, locale: str) -> None:
        row = {"version": version, "locale": locale, "stream": version.mechanism.streams[0], "day": days_ago(1)}
        DeviceRecord.objects.bulk_create(DeviceRecord(**row, record=b"") for _ in range(records))

    arrive(99, "en_US")
    arrive(99, "fr_FR")
    assert "Fruits" not in waiting(as_alice)
    arrive(150, "en_US")
    assert "Fruits 200" in waiting(as_alice)
    arrive(50, "en_US")
    assert "Fruits 200" in waiting(as_alice)
    send_lines(version, suspicious_lines(version, honest=700, replayed=300), day=1)
    assert "Fruits 200" in waiting(as_alice), "what is in quarantine waits for a decision"


def test_of_locales_that_are_published_by_themselves_no_sum_tells_the_small_one(
    version: Version, as_alice: Client
) -> None:
    send(version, 150, day=days_ago(1))
    send(version, 37, locale="fr_FR", day=days_ago(1), seed=1)
    assert "Fruits 100" in waiting(as_alice)
    seal_days(version)
    assert "Fruits at least 100" in waiting(as_alice)


def test_what_arrived_a_moment_ago_is_told_within_a_minute(version: Version, as_alice: Client) -> None:
    """Added up at most once a minute; but what is counted is told at once."""
    send(version, 150)
    assert "Fruits 100" in waiting(as_alice)
    send(version, 150, seed=1)
    assert "Fruits 100" in section(as_alice, "Not counted yet")
    aggregate(version)
    assert "Fruits" not in section(as_alice, "Not counted yet")


# --- What else ---


def test_reasons_that_occurred_are_added_up_and_small_numbers_are_not_told(
    version: Version, other: Version, as_alice: Client
) -> None:
    theirs, others = [version.use_case_id], [other.use_case_id]
    for day, rejected, of, accepted in (
        (1, {"wrong_length": 70, "row_out_of_range": 3}, theirs, 1_000),
        (2, {"wrong_length": 60}, theirs, 870),
        (7, {"wrong_length": 5_555}, theirs, 1),  # too long ago
        (1, {"malformed_record": 4_444}, others, 1),
        (1, {"unknown_locale": 3_333}, [*theirs, *others], 1),  # of another owner as well
    ):
        Batch.objects.create(day=days_ago(day), rejected=rejected, accepted=accepted, use_case_ids=of)
    read = section(as_alice, "Left out")
    fields = r"Fields: records , {letter} · Report format: {name}"
    length, row = fields.format(letter="hex", name="wrong_length"), fields.format(letter="j", name="row_out_of_range")
    words = "The bit vector or the subset of the record has the wrong length."
    assert re.search(rf"Fruits {words} {length} 130 about 6 % \w+", read)
    # A number that is not told has no share either: beside a total that is published it would tell.
    words = rf"Fruits The record names a hash row that the sketch does not have. {row} fewer than 100"
    assert re.search(rf"{words} [A-Z]\w+", read)
    assert '<a href="/report-format/#wrong_length">' in page(as_alice)
    for number in ("5,555", "4,444", "3,333"):
        assert number not in read
    assert "language" not in read


def test_nothing_left_out_is_said(version: Version, as_alice: Client) -> None:
    assert section(as_alice, "Left out") == "Nothing of the last seven days’ uploads was left out."


def test_what_waits_in_quarantine_and_until_when(version: Version, as_alice: Client) -> None:
    send_lines(version, suspicious_lines(version, honest=700, replayed=300), day=1)
    version.quarantined_shards.update(held_since=datetime.date(2026, 3, 1))
    assert '<a href="/use-cases/fruits/quarantine/">Fruits: 1 batch</a>' in page(as_alice)
    assert "What is not released is deleted from Mar 8, 2026 on." in text(as_alice)


def test_dropped_reports_are_told_by_days_and_never_by_number(version: Version, as_alice: Client) -> None:
    for day, locale in ((1, "en_US"), (1, "fr_FR"), (2, "en_US"), (40, "en_US")):
        DroppedReports.objects.create(version=version, locale=locale, day=days_ago(day), reports=37)
    read = section(as_alice, "Left out")
    assert "Fruits: on 2 days" in read
    assert "37" not in read


def test_what_is_stored_and_deleted_next(as_alice: Client) -> None:
    version = define(retention_days=30)
    send(version, 150, day=days_ago(2))
    aggregate(version)
    few = define(slug="few", title="Few", parameters={"epsilon": 8, "k": 64, "m": 64, "seed": "0d" * 16})
    send(few, 37, day=days_ago(1))
    words = define_words()
    send_words(words, 300, day=days_ago(1))
    aggregate(words)
    read = section(as_alice, "Stored, and deleted next")
    # A record is a row of four bytes and 64 bits; a count eight bytes.
    assert re.search(r"Fruits about 1.8 kB about 48 B", read)
    assert re.search(r"Few less than 1.2 kB none", read)
    # Three sketches of 16,384 cells.
    assert re.search(r"New words about [\d.]+ kB about \d+ kB", read)
    until = (days_ago(2) + datetime.timedelta(days=30)).strftime("%Y")
    assert re.search(rf"Next, the raw reports of .* are deleted \(Fruits\), on .*{until}", read)


def test_the_number_of_queries_is_constant(alice: User, as_alice: Client) -> None:
    def queries() -> int:
        as_alice.get(ADDRESS)
        with CaptureQueriesContext(connection) as found:
            assert as_alice.get(ADDRESS).status_code == 200
        return len(found)

    counts = []
    for number in (1, 3):
        parameters = {"epsilon": 8, "k": 1024, "m": 64, "seed": f"{number:032x}"}
        version = define(slug=f"case-{number}", title=f"Case {number}", parameters=parameters)
        for _ in range(number):
            send(version, 150, day=days_ago(1))
            aggregate(version)
        Batch.objects.create(
            day=days_ago(1), rejected={"wrong_length": 1}, accepted=9, use_case_ids=[version.use_case_id]
        )
        send(version, 150)
        start_run(version, ring=False)
        Run.objects.filter(pk=start_run(version, ring=False).pk).update(state=Run.State.FAILED)
        order()
        Evaluation.objects.update(requested_by=alice, use_case=version.use_case)
        counts.append(queries())
    assert counts[0] == counts[1]
    assert UseCase.objects.count() == 2
