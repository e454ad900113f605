"""Size of a site: sums of unit costs, which are those that were measured."""

import dataclasses
import json
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregation import CountMeanSketch
from benchmarks.scale import __main__ as command
from benchmarks.scale import unit_costs, uploads
from reports.operations.sizing import Load, kept_costs, limits, needs
from tests.reports.factories import document, ndjson, send
from tests.reports.small_fleet import define
from tests.reports.suspicious import honest_lines, of_version

pytestmark = pytest.mark.exact

LOAD = Load(mechanism=CountMeanSketch(epsilon=4, k=1024, m=1024, seed=b"7" * 16))


def amounts(load: Load) -> dict[str, float]:
    return {need.name: need.amount for need in needs(load, kept_costs())}


def test_needs_are_the_unit_costs_times_the_load() -> None:
    costs, found = kept_costs(), amounts(LOAD)
    assert found["uploads"] * 86_400 == pytest.approx(10**6)
    assert found["web_cores"] == pytest.approx(10**6 * costs.upload_seconds / 86_400 * 3 / 0.7)
    uploads = 10**6 * (costs.upload_log_bytes + costs.closing_log_bytes)
    assert found["log"] * 1e9 == pytest.approx(uploads + 10_000 * costs.counting_log_bytes)
    assert found["objects"] == pytest.approx(1 + 0.02)
    assert found["raw"] == pytest.approx(10**9 * LOAD.mechanism.report_bytes * 90 / 1e12)


def test_twice_the_load_needs_twice_as_much_and_is_nearer_to_every_limit() -> None:
    double = dataclasses.replace(LOAD, reports=2 * LOAD.reports, targets=2 * LOAD.targets, use_cases=200)
    before, after = amounts(LOAD), amounts(double)
    for name in before.keys() - {"worker_memory", "documents"}:
        assert after[name] == pytest.approx(2 * before[name]), name
    for near, nearer in zip(limits(LOAD, kept_costs())[:3], limits(double, kept_costs())[:3], strict=True):
        assert near.words == nearer.words
        assert nearer.taken == pytest.approx(2 * near.taken)


def test_documents_of_devices_take_the_place_of_uploads() -> None:
    found = amounts(dataclasses.replace(LOAD, by_devices=1.0))
    assert found["uploads"] == 0
    assert found["documents"] == pytest.approx(10**9 / 86_400)
    few, all_of_them = (limits(load, kept_costs())[0] for load in (LOAD, dataclasses.replace(LOAD, by_devices=1.0)))
    assert all_of_them.taken > few.taken


def test_command_says_what_breaks_first_in_words_and_as_json() -> None:
    out = StringIO()
    call_command("size", reports_a_day=1e9, targets=10_000, stdout=out)
    first = out.getvalue().splitlines()[0]
    assert re.fullmatch(r"Breaks( next)?: [^;]+; at [\d.,]+ times this load\. [A-Z][^.]+\.", first), first
    out = StringIO()
    call_command("size", "--reports-a-day", "1e9", "--targets", "10000", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert told["needs"]["uploads"] == {"amount": pytest.approx(10**6 / 86_400), "unit": "a second"}
    assert [each["taken"] for each in told["limits"]] == sorted(
        (each["taken"] for each in told["limits"]), reverse=True
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--reports-a-day", "0", "--targets", "1"], "above 0"),
        (["--reports-a-day", "many", "--targets", "1"], "not a number"),
        (["--reports-a-day", "1", "--targets", "1", "--by-devices", "2"], "from 0 to 1"),
        (["--reports-a-day", "1", "--targets", "1", "--parameters", "{}"], "--parameters"),
    ],
)
def test_wrong_options_are_named(options: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("size", *options)


@pytest.mark.django_db(transaction=True)
def test_an_upload_takes_few_statements_and_within_twice_those_that_are_multiplied() -> None:
    """Processor time drifts by machine: `make benchmark-scale` fails for it, and not a test."""
    versions = [define(), define(slug="others", title="Others")]
    for seed in (0, 1):
        body = ndjson(document(*(of_version(version, honest_lines(version, 600, seed)) for version in versions)))
        with CaptureQueriesContext(connection) as seen:
            send(body)
    _all, to_store = uploads.counted([each["sql"] for each in seen])
    assert to_store <= 5
    assert 0.5 < len(seen) / kept_costs().upload_statements < 2


def test_costs_that_have_drifted_by_more_than_twice_are_named() -> None:
    rows = [
        {"step": f"{unit_costs.PREFIX}yardstick_seconds", "cost": 2.0, "kept": 1.0, "drift": 2.0},
        {"step": f"{unit_costs.PREFIX}upload_seconds", "cost": 3.0, "kept": 1.0, "drift": 3.0},
        {"step": f"{unit_costs.PREFIX}upload_log_bytes", "cost": 3.0, "kept": 1.0, "drift": 3.0},
        {"step": f"{unit_costs.PREFIX}upload_statements", "cost": 3.0, "kept": None, "drift": None},
    ]
    assert [each.partition(":")[0] for each in unit_costs.drifted(rows)] == ["upload_log_bytes", "upload_statements"]


def test_costs_that_are_not_measured_are_not_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["benchmarks.scale", "--only", "uploads", "--keep"])
    monkeypatch.setattr(command, "own_site", lambda: pytest.fail("It measures."))
    with pytest.raises(SystemExit):
        command.main()
    assert "unit_costs" in capsys.readouterr().err
