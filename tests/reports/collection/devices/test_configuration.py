"""The device configuration: what is in it, and that its bytes depend on nothing else."""

import hashlib
import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregation.device import read_configuration
from reports.collection.devices.configuration import configuration, published
from reports.models import BudgetGroup, UseCase, Version
from tests.reports.factories import SEED, WIRE, apply, definition, make_version

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

DOMAINS = {"normalization": "domain", "algorithm": "HadamardCountMeanSketch", "budget_group": "web", "dictionary": None}
WORDS: dict[str, Any] = {
    "slug": "words",
    "title": "Neue Wörter",
    "algorithm": "SequenceFragmentPuzzle",
    "normalization": "word",
    "locales": ["en", "fr"],
    "alphabet": {"en": "abc", "fr": "abcé"},
    "keep_case": True,
    "daily_limit": 2,
    "dictionary": None,
    "parameters": {
        "epsilon": 2, "k": 64, "m": 64, "fragment_epsilon": 6, "fragment_k": 64, "fragment_m": 64, "length": 8,
        "seed": SEED,
    },
}  # fmt: skip


def slugs() -> list[str]:
    return [item["slug"] for item in configuration()["use_cases"]]


def test_an_empty_site_asks_nothing() -> None:
    assert configuration() == {"version": 1, "budget_groups": [], "use_cases": []}
    assert published().body == b'{"budget_groups":[],"use_cases":[],"version":1}'


def test_everything_a_device_needs() -> None:
    apply(
        definition(daily_limit=3),
        definition(slug="web-memory", daily_limit=2, locales=["und"], **DOMAINS),
        definition(slug="web-energy", daily_limit=2, locales=["und"], **DOMAINS),
        definition(**WORDS),
    )
    found = configuration()
    assert found["budget_groups"] == [{"name": "web", "daily_limit": 2}]
    assert slugs() == ["keyboard-emoji", "web-energy", "web-memory", "words"]
    assert found["use_cases"][0] == {
        "slug": "keyboard-emoji",
        "title": "Popular emoji",
        "daily_limit": 3,
        "budget_group": None,
        "algorithm": "CountMeanSketch",
        "parameters": WIRE,
        "normalization": "emoji",
        "keep_case": False,
        "alphabet": None,
        "locales": ["en_US", "fr_FR"],
    }
    assert found["use_cases"][1]["budget_group"] == "web"
    words = found["use_cases"][3]
    assert (words["alphabet"], words["keep_case"], words["daily_limit"]) == (WORDS["alphabet"], True, 2)
    assert words["parameters"] == {**WORDS["parameters"], "hash": "quadratic-m31-v1"}
    # Devices understand it.
    document = published()
    read = read_configuration(document.body)
    assert read.sha256 == document.sha256 == hashlib.sha256(document.body).hexdigest()
    assert {slug: use_case.parameters for slug, use_case in read.use_cases.items()} == {
        item["slug"]: item["parameters"] for item in found["use_cases"]
    }
    assert read.epsilon_per_day == 3 * 4 + 2 * 4 + 2 * 8


@pytest.mark.parametrize("state", [UseCase.State.PAUSED, UseCase.State.ARCHIVED])
def test_use_cases_that_do_not_run_are_absent_and_so_are_their_groups(state: str) -> None:
    make_version(slug="web-energy", locales=["und"], **DOMAINS)
    make_version()
    UseCase.objects.filter(slug="web-energy").update(state=state)
    assert slugs() == ["keyboard-emoji"]
    assert configuration()["budget_groups"] == []


def test_only_the_active_version_is_asked_for() -> None:
    first = make_version()
    second = make_version(parameters={"epsilon": 2, "k": 64, "m": 64})
    assert [item["parameters"] for item in configuration()["use_cases"]] == [second.parameters]
    assert first.parameters != second.parameters
    Version.objects.filter(pk=second.pk).update(state=Version.State.CLOSED)
    assert slugs() == []


def test_the_limit_of_a_group_is_the_limit() -> None:
    make_version(slug="web-energy", locales=["und"], **DOMAINS)
    BudgetGroup.objects.update(daily_limit=7)
    assert configuration()["budget_groups"] == [{"name": "web", "daily_limit": 7}]
    assert configuration()["use_cases"][0]["daily_limit"] == 7


def test_the_bytes_do_not_depend_on_the_order_of_rows() -> None:
    for slug in ("b-b", "bb", "a"):
        make_version(slug=slug)
    before = published().body
    assert slugs() == ["a", "b-b", "bb"]
    # Rows that are written again stand elsewhere.
    for use_case in UseCase.objects.order_by("-slug"):
        use_case.save()
    Version.objects.filter(use_case__slug="bb").update(state=Version.State.ACTIVE)
    assert published().body == before
    assert json.loads(before) == configuration()


def test_the_number_of_queries_is_one() -> None:
    for number in range(5):
        make_version(slug=f"web-{number}", locales=["und"], **DOMAINS)
    with CaptureQueriesContext(connection) as queries:
        published()
    assert len(queries) == 1
