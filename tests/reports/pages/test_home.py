"""The first page: every use case with how far it is, and where to begin if there is none."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from reports.models import Part, Run, Version
from reports.runs import start_run
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def words(client: Client, address: str = "/") -> str:
    return re.sub(r"\s+", " ", client.get(address).content.decode())


def test_each_use_case_says_how_far_it_is(version: Version, as_bob: Client) -> None:
    assert "No reports yet" in words(as_bob)
    send(version, 50)
    assert "Not aggregated yet" in words(as_bob)
    aggregate(version)
    assert "Too few reports" in words(as_bob)
    Run.objects.update(state=Run.State.FAILED)
    assert "Last run failed" in words(as_bob)
    send(version, 150)
    aggregate(version)
    page = words(as_bob)
    assert ">Results<" in page
    assert "2 locales" in page
    assert "progress.js" not in page


def test_an_unfinished_run_is_followed(version: Version, as_alice: Client, as_bob: Client) -> None:
    send(version, 150)
    run = start_run(version, ring=False)
    assert "Aggregating, 0 % done" in words(as_bob)
    for row in range(9):
        Part.objects.create(run=run, start_row=row, stop_row=row + 1, stop_shard=1)
    Run.objects.update(state=Run.State.RUNNING, planned_at=timezone.now())
    Part.objects.filter(start_row__lt=4).update(finished_at=timezone.now())
    assert "Aggregating, 40 % done" in words(as_alice)
    # Others are told in steps, as on the page of the run: parts are counted by the reports in them.
    assert "Aggregating, 25 % done" in words(as_bob)
    page = words(as_bob)
    assert '<div id="progress" data-address="/?cards">' in page
    assert "progress.js" in page
    assert '<meta http-equiv="refresh"' in page
    fragment = words(as_bob, "/?cards")
    assert "<html" not in fragment
    assert 'data-step="fruits 25 "' in fragment
    assert "data-finished" not in fragment
    Run.objects.update(state=Run.State.FINISHED)
    assert "data-finished" in words(as_bob, "/?cards")


def test_several_runs_are_followed_at_once(as_alice: Client) -> None:
    for number in (1, 2, 3):
        parameters = {"epsilon": 8, "k": 1024, "m": 64, "seed": f"{number:032x}"}
        version = define(slug=f"case-{number}", title=f"Case {number}", parameters=parameters)
        if number > 1:
            send(version, 150)
            run = start_run(version, ring=False)
            for row in range(number):
                done = timezone.now() if row == 0 else None
                Part.objects.create(run=run, start_row=row, stop_row=row + 1, stop_shard=1, finished_at=done)
    page = words(as_alice)
    assert 'data-step="case-2 33 case-3 25 "' in page
    assert "No reports yet" in page


def test_who_looks_for_words_has_words_for_results(as_bob: Client) -> None:
    search = define_search()
    assert "No reports yet" in words(as_bob)
    find(search, ["yeet"])
    page = words(as_bob)
    assert ">Words</span>" in page
    assert ">Results</span>" not in page
    assert "2 locales" in page


def test_an_empty_site_says_where_to_begin(login: Callable[[User], Client], charlie: User) -> None:
    page = words(login(User.objects.create_superuser("root")))
    assert "No use case is defined yet" in page
    assert '<a class="button primary" href="/admin/reports/usecase/add/">Add a use case</a>' in page
    assert "apply_use_cases" in page
    assert "apply_use_cases" not in words(login(charlie))


def test_the_fragment_is_for_those_who_are_signed_in(client: Client) -> None:
    assert client.get("/?cards").status_code == 302
