"""Metrics: who may read them, what they say of the site, and that no report is seen to arrive in them."""

import datetime
import re
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from ldpsite import metrics
from reports.collection import seal_days
from reports.collection.ingest import REASONS
from reports.jobs.failing import fail
from reports.jobs.host_heartbeat import record_host
from reports.jobs.tasks import sweep
from reports.models import ApiToken, Batch, Version
from reports.operations.metrics import exposition
from reports.operations.monitoring import questions
from reports.runs import start_run
from tests.deployment.monitoring import names_in, queries_of_alerts, queries_of_dashboard
from tests.reports.buckets import Bucket
from tests.reports.factories import make_version, of_records, record_lines
from tests.reports.small_fleet import aggregate, days_ago, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

TOKEN = "a token of twenty-six chars"
Found = dict[str, float]


@pytest.fixture(autouse=True)
def _measured(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LDPSITE_METRICS_TOKEN = TOKEN
    settings.MIDDLEWARE = ["ldpsite.metrics.measure", *settings.MIDDLEWARE]
    monkeypatch.setattr(questions, "_questions", {})
    metrics._SECONDS.clear()
    metrics._FAILED.clear()
    metrics._held.clear()


def scrape(*, later: bool = True) -> str:
    if later:
        exposition._kept.clear()
    answer = Client().get(reverse("metrics"), headers={"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    return answer.text


def found(text: str) -> Found:
    """Return the values of all series, by name and values of labels, in the order of the labels."""
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_metrics_need_their_token_and_are_off_without_one(settings: Settings, as_root: Client) -> None:
    assert as_root.get(reverse("metrics")).status_code == 404
    for sent in ("", TOKEN, f"Bearer {TOKEN}x", "Bearer ", "Bearer é"):
        assert Client().get(reverse("metrics"), headers={"authorization": sent}).status_code == 404
    settings.LDPSITE_METRICS_TOKEN = ""
    for sent in ("Bearer", "Bearer "):
        assert Client().get(reverse("metrics"), headers={"authorization": sent}).status_code == 404


def test_a_site_is_followed_from_an_upload_to_its_publication(version: Version) -> None:
    send(version, 450, day=days_ago(1))
    send(version, 150, day=days_ago(2), locale="fr_FR")
    Batch.objects.filter(day=days_ago(1)).update(rejected={"unknown_locale": 399, "wrong_length": 250, "other": 900})
    waiting = found(scrape())
    now = timezone.now()
    of_two_days = (now - datetime.datetime.combine(days_ago(1), datetime.time(), datetime.UTC)).total_seconds()
    for lag in ("ldpsite_closing_lag_seconds", "ldpsite_publication_lag_seconds"):
        assert waiting[lag] == pytest.approx(of_two_days, abs=60)
    # Nothing of what is not sealed yet.
    assert waiting["ldpsite_yesterday_uploads"] == 0
    run = start_run(version, ring=False)
    assert found(scrape())["ldpsite_jobs run waiting"] == 1
    fail(run, MemoryError())
    failed = found(scrape())
    assert (failed["ldpsite_jobs run waiting"], failed["ldpsite_jobs run failed"]) == (0, 1)
    aggregate(version)
    done = found(scrape())
    assert done["ldpsite_closing_lag_seconds"] == done["ldpsite_publication_lag_seconds"] == 0
    assert done["ldpsite_yesterday_uploads"] == 1
    assert version.use_case.minimum_reports == 100
    assert done["ldpsite_yesterday_counted_reports"] == 400
    left_out = {reason: done[f"ldpsite_yesterday_left_out_records {reason}"] for reason in REASONS}
    assert left_out == dict.fromkeys(REASONS, 0) | {"unknown_locale": 300, "wrong_length": 200}


def test_an_upload_that_comes_late_is_not_seen_within_the_hour(version: Version) -> None:
    with mock.patch("time.time", return_value=1.8e9):
        before = scrape()
        send(version, 450, day=days_ago(1))
        assert "closing_lag" in before
        assert {line for line in scrape(later=False).splitlines() if "_lag_" in line} <= {*before.splitlines()}
    assert found(scrape(later=False))["ldpsite_closing_lag_seconds"] > 0


def test_fewer_than_the_minimum_are_not_there(version: Version) -> None:
    send(version, 99, day=days_ago(1))
    Batch.objects.update(rejected={"unknown_locale": 99})
    seal_days(version)
    aggregate(version)
    done = found(scrape())
    assert done["ldpsite_yesterday_counted_reports"] == 0
    assert done["ldpsite_yesterday_left_out_records unknown_locale"] == 0


def test_what_is_away_is_told_beside_the_rest(bucket: Bucket) -> None:
    bucket.is_away = True
    told = found(scrape())
    assert (told["ldpsite_dependency_up database"], told["ldpsite_dependency_up storage"]) == (1, 0)
    assert "ldpsite_publication_lag_seconds" in told


def test_requests_are_counted_by_view_and_not_by_address(version: Version, as_alice: Client) -> None:
    for query in ("", "?locale=fr_FR", "?q=secret"):
        as_alice.get(reverse("use_case", args=["fruits"]) + query)
    as_alice.get("/no-such-address/")
    told = found(scrape())
    assert told["ldpsite_request_seconds_count use_case"] == 3
    assert not [name for name in told if "secret" in name or "no-such-address" in name]


def test_no_upload_is_seen_to_arrive_and_those_that_failed_are_not_either(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "LOT", 3)
    make_version()
    _token, secret = ApiToken.create("collector", may_ingest=True)
    bucket.is_away = True
    seen = []
    for _ in range(7):
        answer = Client().post(
            reverse("api_upload"),
            of_records(record_lines(5)),
            "application/x-ndjson",
            headers={"authorization": f"Bearer {secret}"},
        )
        assert answer.status_code == 503
        told = found(scrape())
        names = "ldpsite_request_seconds_count api_upload", "ldpsite_failed_responses_total 503 api_upload"
        seen.append(tuple(told.get(name, 0) for name in names))
    assert seen == [(0, 0), (0, 0), (3, 3), (3, 3), (3, 3), (6, 6), (6, 6)]


def test_an_unexpected_error_is_counted_at_once(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.web.api.device_reports.whole_body", lambda *_arguments: 1 // 0)
    Client(raise_request_exception=False).post(
        reverse("api_reports"), b"{}", "application/json", headers={"idempotency-key": "k" * 16}
    )
    assert found(scrape())["ldpsite_failed_responses_total 500 api_reports"] == 1


def test_nothing_names_a_use_case_an_element_a_locale_or_a_person(version: Version, alice: User) -> None:
    send(version, 450, day=days_ago(1))
    aggregate(version)
    record_host()
    sweep()
    text = scrape()
    names = ("fruit", "apple", "en_US", "fr_FR", "alice", "keyboard")
    assert [name for name in names if name in text] == []
    labels = {label for family in re.findall(r"\{(.*?)\}", text) for label in re.findall(r"(\w+)=", family)}
    assert labels <= {"view", "le", "status", "name", "host", "kind", "state", "reason"} | {
        *("generation", "implementation", "major", "minor", "patchlevel", "version"),  # of Python
    }


def test_dashboard_and_alerts_ask_for_what_there_is(version: Version, client: Client) -> None:
    record_host()
    metrics._FAILED.labels("use_case", 500).inc()
    scrape()
    there = names_in(scrape())
    for queries in (queries_of_alerts(), queries_of_dashboard()):
        assert names_in(" ".join(queries)) <= there
