"""The commands that others script against: aggregate and export."""

import csv
import datetime
import io
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from reports.jobs import failing
from reports.management.commands import aggregate as aggregate_command
from reports.models import Histogram, UseCase, WordDecision
from tests.reports.buckets import Bucket
from tests.reports.found_words import change_word, define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def of_api(client: APIClient, address: str, parameters: dict[str, str] | None = None) -> Any:
    """Return the API's answer, but for where it is seen: a command does not know what the site is called."""
    document = client.get(address, parameters).json()
    assert document.pop("address").startswith("http://testserver/use-cases/")
    return document


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def export(*arguments: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(run("export", "fruits", *arguments))
    return document


def test_aggregate_seals_today_and_all_other_days() -> None:
    version = define()
    send(version, 150)
    send(version, 150, day=days_ago(3))
    (line,) = run("aggregate", "fruits", "--inline").splitlines()
    assert json.loads(line).keys() == {"run", "version", "state"}
    assert json.loads(line)["state"] == "finished"
    assert export("--locale", "en_US")["n"] == 300


@pytest.mark.django_db(transaction=True)
def test_aggregate_waits_for_the_storage_and_says_so_once(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    send(define(), 150)
    monkeypatch.setattr(failing, "SHORTEST_DELAY", datetime.timedelta(seconds=0.5))
    bucket.is_away = True

    def sleep(_seconds: float) -> None:
        bucket.is_away = False

    monkeypatch.setattr("reports.jobs.working.time.sleep", sleep)
    out, err = io.StringIO(), io.StringIO()
    call_command("aggregate", "fruits", "--inline", stdout=out, stderr=err)
    assert json.loads(out.getvalue())["state"] == "finished"
    (line,) = err.getvalue().splitlines()
    assert line.startswith("Waiting for the storage, which cannot be read or written now (ServiceUnavailable).")
    assert re.search(r" It tries again automatically at \d\d:\d\d:\d\d UTC\.$", line)


def test_aggregate_loads_no_pages_to_check_them() -> None:
    """Django offers to skip system checks only where there are some."""
    assert "--skip-checks" not in aggregate_command.Command().create_parser("manage.py", "aggregate").format_help()


def test_aggregate_a_window_only() -> None:
    version = define()
    for day in (3, 2, 1):
        send(version, 150, day=days_ago(day))
    run("aggregate", "fruits", "--inline", "--from", str(days_ago(3)), "--to", str(days_ago(2)))
    assert export("--locale", "en_US")["n"] == 300
    assert not version.sealings.filter(day=days_ago(1)).exists()


def test_aggregate_says_which_words_may_not_be_shown() -> None:
    version = define_words()
    send_words(version, 300, day=days_ago(1))
    send_words(version, 99, locale="fr_FR", day=days_ago(1))
    told = json.loads(run("aggregate", "words", "--inline"))
    assert (told["state"], told["published"], told["withheld"]) == ("finished", ["en_US"], ["fr_FR"])


def test_every_version_that_has_reports_is_aggregated() -> None:
    send(define(), 150)
    send(define(parameters={"epsilon": 8, "k": 1024, "m": 128}), 150)
    lines = [json.loads(line) for line in run("aggregate", "fruits", "--inline").splitlines()]
    assert [line["version"] for line in lines] == [1, 2]
    assert {h.version.number for h in Histogram.objects.all()} == {1, 2}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("aggregate", "pears"), "no use case 'pears'"),
        (("aggregate", "fruits", "--inline"), "no reports"),
        (("aggregate", "fruits", "--from", "2026-03-02", "--to", "2026-03-01"), "ends before it begins"),
        (("aggregate", "fruits", "--from", "yesterday"), "not a date"),
        (("aggregate", "fruits", "--engine", "dask"), "given together"),
        (("aggregate", "fruits", "--scheduler", "tcp://localhost:1"), "given together"),
        (("export", "pears"), "no use case 'pears'"),
        (("export", "fruits"), "No histogram is published"),
        (("export", "fruits", "--locale", "de_DE"), "locale"),
        (("export", "fruits", "--from", "2026-03-02", "--to", "2026-03-01"), "ends before it begins"),
        (("export", "fruits", "--use-case-version", "7"), "version"),
        (("export", "fruits", "--group", "category"), "nothing to group"),
        (("export", "fruits", "--group", "size"), "invalid choice"),
        (("export", "fruits", "--words", "all"), "counts a dictionary"),
        (("export", "fruits", "--words", "good"), "invalid choice"),
    ],
)
def test_errors_say_what_is_wrong(arguments: tuple[str, ...], message: str) -> None:
    define()
    with pytest.raises(CommandError, match=message):
        run(*arguments)


def test_export_and_api_give_the_same(bob: User) -> None:
    version = define()
    for day in (2, 1):
        send(version, 1500, locale="fr_FR", day=days_ago(day))
    aggregate(version)
    client = APIClient()
    client.force_login(bob)
    window = {"from": str(days_ago(2)), "to": str(days_ago(2))}
    address = "/api/v1/use-cases/fruits/histogram/"
    assert export("--locale", "fr_FR") == of_api(client, address, {"locale": "fr_FR"})
    one_day = export("--locale", "fr_FR", "--from", window["from"], "--to", window["to"])
    assert one_day == of_api(client, address, {"locale": "fr_FR", **window})
    assert (one_day["n"], one_day["first_day"], one_day["last_day"]) == (1500, window["from"], window["to"])


def test_groups_are_exported_as_the_api_gives_them(bob: User) -> None:
    fruits = (("apple", "tree"), ("banana", "herb"), ("cherry", "tree"), ("date", "palm"))
    version = define(dictionary=[{"element": element, "category": category} for element, category in fruits])
    send(version, 1500)
    aggregate(version)
    client = APIClient()
    client.force_login(bob)
    address = "/api/v1/use-cases/fruits/histogram/"
    grouped = export("--group", "category")
    assert grouped == of_api(client, address, {"group": "category"})
    assert (grouped["grouping"], grouped["threshold"]) == ("category", None)
    assert [(entry["element"], entry["members"]) for entry in grouped["entries"]] == [("tree", 2), ("herb", 1)]
    trees = export("--category", "tree")
    assert trees == of_api(client, address, {"category": "tree"})
    assert [entry["element"] for entry in trees["entries"]] == ["apple", "cherry"]
    assert {entry["threshold"] for entry in trees["entries"]} == {trees["threshold"]}
    rows = list(csv.DictReader(run("export", "fruits", "--group", "category", "--format", "csv").splitlines()))
    for column in ("threshold", "estimate", "rank"):
        assert [float(row[column]) for row in rows] == [entry[column] for entry in grouped["entries"]]
    assert client.get(address, {"group": "skin-tones"}).status_code == 400
    assert client.get(address, {"group": "size"}).status_code == 400
    assert client.get(address, {"category": "vegetable"}).status_code == 400


def test_words_are_exported_as_the_api_gives_them(bob: User) -> None:
    version, every = define_search(), ["yeet", "rizz", "lov"]
    find(version, every)
    change_word("yeet", is_new=True)
    WordDecision.objects.create(use_case=version.use_case, locale="en_US", word="rizz", verdict="rejected")
    client = APIClient()
    client.force_login(bob)
    for choice, shown in {
        "": ["yeet", "lov"],
        "all": every,
        "new": ["yeet"],
        "undecided": ["yeet", "lov"],
        "rejected": ["rizz"],
    }.items():
        options = ["--words", choice] if choice else []
        exported = json.loads(run("export", "slang", *options))
        assert exported == of_api(client, "/api/v1/use-cases/slang/histogram/", {"words": choice})
        assert [each["element"] for each in exported["entries"]] == shown
        assert [each["rank"] for each in exported["entries"]] == [every.index(word) + 1 for word in shown]
        rows = list(csv.DictReader(run("export", "slang", "--format", "csv", *options).splitlines()))
        assert [row["element"] for row in rows] == shown
    assert client.get("/api/v1/use-cases/slang/histogram/", {"words": "good"}).status_code == 400


def test_a_version_is_exported_until_the_next_has_results_and_by_its_number_ever_after() -> None:
    old = define()
    send(old, 150)
    new = define(parameters={"epsilon": 8, "k": 1024, "m": 128})
    run("aggregate", "fruits", "--inline")
    assert (export()["version"], export()["n"]) == (1, 150)
    send(new, 130)
    run("aggregate", "fruits", "--inline")
    assert (export()["version"], export()["n"]) == (2, 130)
    assert export("--use-case-version", "1")["n"] == 150


def test_a_histogram_that_is_not_published_is_a_problem_with_its_state(bob: User) -> None:
    version = define()
    client = APIClient()
    client.force_login(bob)
    address = "/api/v1/use-cases/fruits/histogram/"
    response = client.get(address)
    assert (response.status_code, response.json()["state"]) == (404, "not-yet")
    send(version, 99)
    aggregate(version)
    body = client.get(address).json()
    assert body["state"] == "not-yet"
    assert "99" not in json.dumps(body)
    assert UseCase.objects.get().versions.get().read_outs.get().n == 99
