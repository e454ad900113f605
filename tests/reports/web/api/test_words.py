"""Discovered words for programs: what is asked for, and why there may be nothing."""

from typing import Any

import pytest
from django.test import Client

from reports.models import ReadOut, Sealing
from reports.publication import cut
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import days_ago
from tests.reports.web.api.test_batches import assert_problem

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ADDRESS = "/api/v1/use-cases/slang/histogram/"


def test_a_window_that_is_not_searched_is_a_problem_of_its_own(as_bob: Client) -> None:
    version = define_search()
    find(version, ["yeet"])
    sealing = Sealing.objects.create(version=version, day=days_ago(3))
    ReadOut.objects.create(version=version, locale="en_US", day=sealing.day, sealing=sealing, n=987, file_name="a day")
    of_day = {"from": str(sealing.day), "to": str(sealing.day)}
    assert_problem(as_bob.get(ADDRESS, of_day), 404, "not-yet")
    cut(version)
    response: Any = as_bob.get(ADDRESS, of_day)
    problem = assert_problem(response, 404, "not-searched")
    assert problem["state"] == "not-searched"
    assert b"987" not in response.content
    assert as_bob.get(ADDRESS).status_code == 200


def test_words_are_in_no_groups(as_bob: Client) -> None:
    find(define_search(), ["yeet"])
    for name in ("group", "category"):
        problem = assert_problem(as_bob.get(ADDRESS, {name: "category"}), 400, "bad-parameter")
        assert f"{name}: This version looks for words" in problem["detail"]
