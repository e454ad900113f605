"""Results while the storage does not answer: what is published is shown, and what has to be added up is asked later."""

import shutil
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from tests.reports.buckets import Bucket
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.web.pages.reading import PAGE, table

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.mark.parametrize("address", [PAGE, reverse("api_histogram", args=["fruits"])])
def test_a_window_that_nobody_asked_for_before_is_asked_for_later(bucket: Bucket, as_bob: Client, address: str) -> None:
    version = define()
    for day in (3, 2, 1):
        send(version, 300, day=days_ago(day), seed=day)
    aggregate(version)
    # No copies are left on this machine.
    shutil.rmtree(Path(settings.LDPSITE_SPOOL_DIR) / "cache")
    bucket.is_away = True
    assert as_bob.get(address).status_code == 200
    new = {"from": str(days_ago(2)), "to": str(days_ago(1))}
    answer = as_bob.get(address, new)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    if address == PAGE:
        assert "<h1>The storage does not answer</h1>" in answer.content.decode()
    else:
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["type"] == "urn:ldpsite:problem:storage-unavailable"
    assert "bucket.example" not in answer.content.decode()
    bucket.is_away = False
    again = as_bob.get(address, new)
    assert again.status_code == 200
    if address == PAGE:
        assert table(again)
