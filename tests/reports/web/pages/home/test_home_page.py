"""The first page: what every use case has found and how it is, and where to begin if there is none."""

import datetime
import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reports.models import Histogram, Part, Period, Run, UseCase, Version, Viewing
from reports.results.changes import count_clear_changes
from reports.runs import start_run
from tests.conftest import logged_in
from tests.reports.changed import two_weeks
from tests.reports.entries import change_entries
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.suspicious import send_lines, suspicious_lines
from tests.reports.web.pages import reading

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def words(client: Client, address: str = "/") -> str:
    return reading.words(client.get(address))


def text(client: Client, address: str = "/") -> str:
    return reading.text_of(client.get(address))


def titles(client: Client, address: str = "/") -> list[str]:
    return re.findall(r'<h2> <a href="[^"]*">([^<]*)</a>', words(client, address))


def define_many(count: int) -> list[Version]:
    versions = []
    for number in range(1, count + 1):
        parameters = {"epsilon": 8, "k": 1024, "m": 64, "seed": f"{number:032x}"}
        versions.append(define(slug=f"case-{number}", title=f"Case {number}", parameters=parameters))
    return versions


# --- Results ---


def test_a_card_says_how_many_changes_are_clear_until_results_change(as_bob: Client) -> None:
    use_case = two_weeks().use_case
    assert "3 clear changes" in text(as_bob)
    UseCase.renew_generation(use_case.pk)
    assert "clear change" not in text(as_bob)
    use_case.refresh_from_db()
    count_clear_changes(use_case)
    assert "3 clear changes" in text(as_bob)


def test_a_card_tells_what_leads_of_how_many_and_how_new_it_is(published: Run, as_bob: Client) -> None:
    page, read = words(as_bob), text(as_bob)
    whole = Histogram.objects.get(locale="en_US", first_day=days_ago(2), last_day=days_ago(1))
    assert whole.n == 800
    assert "n = 800 reports" in read
    assert "up to yesterday" in read
    assert "Healthy" in read
    assert "2 locales" in read
    assert "English (United States) ·" in read
    entries = list(whole.entries)[:3]
    assert [entry.display for entry in entries] == ["apple", "banana", "cherry"]
    for entry in entries:
        share, lower, upper = (100 * x / 800 for x in (entry.estimate, entry.adjusted_lower, entry.adjusted_upper))
        assert f"{entry.display} {share:.2f} % {lower:.2f} – {upper:.2f} %" in read
    assert re.search(
        r'<svg class="sparkline" role="img" aria-label="Reports per day, .*: from 300 to 500, 500 on', page
    )
    assert page.count("v-") == 2  # bars
    assert "progress.js" not in page


def test_a_card_leads_to_the_locale_that_it_shows(version: Version, as_bob: Client) -> None:
    send(version, 150, locale="fr_FR", day=days_ago(1))
    aggregate(version)
    assert 'href="/use-cases/fruits/?locale=fr_FR">Fruits</a>' in words(as_bob)


def test_what_is_old_is_not_called_healthy(published: Run, as_bob: Client) -> None:
    Period.objects.filter(last_day=days_ago(1)).update(first_day=days_ago(41), last_day=days_ago(41))
    Period.objects.filter(last_day=days_ago(2)).update(first_day=days_ago(40), last_day=days_ago(40))
    read = text(as_bob)
    assert "Nothing new up to 40 days ago" in read
    assert "Healthy" not in read


def test_words_are_words_and_new_ones_are_counted(as_bob: Client) -> None:
    search = define_search()
    assert NOT_YET in text(as_bob)
    change_entries(of={"histogram": find(search, ["yeet", "lol"])}, is_new=True)
    UseCase.renew_generation(search.use_case_id)
    page = words(as_bob)
    assert '<a class="badge new" href="/use-cases/slang/?words=new">2 new words in all locales</a>' in page
    assert '<span class="element" lang="en-US" dir="ltr">yeet</span>' in page


def test_hostile_words_are_text(as_bob: Client) -> None:
    find(define_search(), ["<b>x"])
    page = words(as_bob)
    assert "&lt;b&gt;x" in page
    assert "<b>x" not in page


# --- States ---


NOT_YET = "Too few reports yet, or none"


def test_owners_are_told_how_far_their_use_cases_are(version: Version, as_alice: Client) -> None:
    assert NOT_YET in text(as_alice)
    assert "Nothing has been received yet." in text(as_alice)
    send(version, 50)
    assert "Not aggregated yet" in text(as_alice)
    aggregate(version)
    read = text(as_alice)
    assert NOT_YET in read
    assert "Results appear once there are 100 reports." in read
    Run.objects.update(state=Run.State.FAILED)
    run = Run.objects.get()
    assert f'<a class="badge bad" href="/runs/{run.pk}/">Last run failed</a>' in words(as_alice)
    UseCase.objects.update(state="paused")
    assert re.search("Paused .*Last run failed", text(as_alice))
    version.state = Version.State.CLOSED
    version.save()
    assert "no active version" in text(as_alice)


def test_others_are_told_the_same_of_all_that_shows_nothing(version: Version, as_bob: Client) -> None:
    """Whatever has arrived, and whatever runs do with it."""
    empty = words(as_bob, "/?cards")
    assert f'<span class="badge ">{NOT_YET}</span>' in empty
    assert "Results appear once there are 100 reports." in empty
    send(version, 50)
    assert words(as_bob, "/?cards") == empty
    run = start_run(version, ring=False)
    assert words(as_bob, "/?cards") == empty
    for state in (Run.State.RUNNING, Run.State.FAILED):
        Run.objects.update(state=state, planned_at=timezone.now())
        assert words(as_bob, "/?cards") == empty
    Run.objects.filter(pk=run.pk).delete()
    aggregate(version)
    assert words(as_bob, "/?cards") == empty


def test_runs_are_no_matter_of_those_who_see_the_result(published: Run, as_bob: Client) -> None:
    shown = words(as_bob, "/?cards")
    Run.objects.update(state=Run.State.FAILED)
    assert words(as_bob, "/?cards") == shown


def test_an_unfinished_run_is_followed_by_owners(version: Version, as_alice: Client) -> None:
    send(version, 150)
    run = start_run(version, ring=False)
    assert "Waiting for a worker" in text(as_alice)
    for row in range(9):
        Part.objects.create(run=run, start_row=row, stop_row=row + 1, stop_shard=1)
    Run.objects.update(state=Run.State.RUNNING, planned_at=timezone.now())
    Part.objects.filter(start_row__lt=4).update(finished_at=timezone.now())
    assert "Aggregating, 40 % done" in text(as_alice)
    page = words(as_alice)
    assert '<div id="progress" data-address="/?cards=">' in page
    assert "progress.js" in page
    assert '<meta http-equiv="refresh"' in page
    fragment = words(as_alice, "/?cards")
    assert "<html" not in fragment
    assert 'data-step="fruits 40 "' in fragment
    assert "data-finished" not in fragment
    Run.objects.update(state=Run.State.FINISHED)
    assert "data-finished" in words(as_alice, "/?cards")


def test_several_runs_are_followed_at_once(as_alice: Client) -> None:
    for number, version in enumerate(define_many(3), 1):
        if number > 1:
            send(version, 150)
            run = start_run(version, ring=False)
            for row in range(number):
                done = timezone.now() if row == 0 else None
                Part.objects.create(run=run, start_row=row, stop_row=row + 1, stop_shard=1, finished_at=done)
    page = words(as_alice)
    assert 'data-step="case-2 33 case-3 25 "' in page
    assert NOT_YET in page


def test_the_latest_run_of_all_versions_counts(version: Version, as_alice: Client) -> None:
    send(version, 150)
    start_run(version, ring=False)
    newer = define(parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": "0e" * 16})
    send(newer, 150)
    Run.objects.filter(pk=start_run(newer, ring=False).pk).update(state=Run.State.FAILED)
    assert "Last run failed" in text(as_alice)


def test_owners_alone_are_told_what_waits_in_quarantine(version: Version, as_alice: Client, as_bob: Client) -> None:
    send_lines(version, suspicious_lines(version, honest=700, replayed=300), day=1)
    link = '<a class="badge busy" href="/use-cases/fruits/quarantine/">1 batch in quarantine</a>'
    assert link in words(as_alice)
    assert "quarantine" not in words(as_bob)


# --- Archived ---


def test_what_is_archived_is_apart(version: Version, as_bob: Client) -> None:
    define_many(2)
    UseCase.objects.filter(slug="fruits").update(state="archived")
    assert titles(as_bob) == ["Case 1", "Case 2"]
    assert re.search('Archived</h2>.*<a href="/use-cases/fruits/">Fruits</a>', words(as_bob))
    UseCase.objects.update(state="archived")
    assert "All use cases that you may see are archived." in words(as_bob)


# --- The first use case ---


def test_an_empty_site_leads_to_the_first_histogram(alice: User, as_root: Client) -> None:
    page = words(as_root)
    assert "Three steps to your first histogram" in page
    assert '<a class="button primary" href="/set-up/">Add a use case</a>' in page
    assert "apply_use_cases" in page
    assert steps(as_root) == ["Next", "Then", "Then"]
    version = define()
    # Who owns it is shown the way as well; who may only look is not.
    owner = logged_in(alice)
    for client in (as_root, owner):
        assert steps(client) == ["Done", "Next", "Then"]
        assert '<a class="button primary" href="/batches/new/">Upload a file</a>' in words(client)
        assert "manage.py simulate_devices fruits" in words(client)
    assert "/admin/reports/" not in words(owner)
    send(version, 150, day=days_ago(1))
    assert steps(owner) == ["Done", "Done", "Next"]
    assert '<form method="post" action="/use-cases/fruits/runs/">' in words(owner)
    run = start_run(version, ring=False)
    assert "A run has been ordered" in words(owner)
    assert "/use-cases/fruits/runs/" not in words(owner)
    Run.objects.filter(pk=run.pk).delete()
    aggregate(version)
    assert steps(owner) == []


def steps(client: Client) -> list[str]:
    return re.findall(r'<p class="step-state"> (\w+) </p>', words(client))


def test_nobody_else_is_shown_the_way(version: Version, charlie: User, as_bob: Client, as_alice: Client) -> None:
    assert steps(as_bob) == []
    page = words(logged_in(charlie))
    assert "No use case is shown to you" in page
    assert "apply_use_cases" not in page
    UseCase.objects.create(slug="second", title="Second", owner_group=version.use_case.owner_group)
    assert steps(as_alice) == []


def test_a_use_case_without_active_version_is_not_defined_yet(as_root: Client) -> None:
    use_case = UseCase.objects.create(slug="first", title="First")
    assert steps(as_root) == ["Next", "Then", "Then"]
    assert f'href="/admin/reports/usecase/{use_case.pk}/change/"' in words(as_root)


# --- What it costs, and what it leaves ---


def test_the_number_of_queries_does_not_depend_on_that_of_use_cases(as_alice: Client) -> None:
    def queries() -> int:
        as_alice.get("/")  # who has seen what today is noted once, and results are kept
        with CaptureQueriesContext(connection) as found:
            assert as_alice.get("/").status_code == 200
        return len(found)

    versions = define_many(3)
    counts = []
    for version in versions[:2]:
        send(version, 150, day=days_ago(1))
        aggregate(version)
        counts.append(queries())
    assert counts[0] == counts[1]
    # One of them is the number of unread messages in the header.
    assert counts[0] <= 13


def test_who_sees_cards_is_noted_once_a_day(published: Run, as_bob: Client, bob: User) -> None:
    define_many(1)
    for _ in range(3):
        as_bob.get("/")
        as_bob.get("/?cards")
    viewing = Viewing.objects.get()
    assert (viewing.user, str(viewing.use_case), viewing.what) == (bob, "Fruits", "card")
    Viewing.objects.update(at=timezone.now() - datetime.timedelta(days=1))
    as_bob.get("/")
    assert Viewing.objects.count() == 2
