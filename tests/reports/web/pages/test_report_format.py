"""The page about the format of uploads: every reason for which something is left out, and the whole text."""

from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from reports.collection.ingest.documents import DOCUMENT_FIELDS, SEGMENT_FIELDS
from reports.collection.ingest.reasons import REASONS, fields_of
from reports.models import Batch, Version
from tests.conftest import logged_in
from tests.reports.small_fleet import days_ago

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

TEXT = Path(settings.BASE_DIR) / "docs" / "report-format.md"


def test_every_reason_has_its_place_and_says_what_to_do(as_bob: Client) -> None:
    page = as_bob.get(reverse("report_format"))
    rules = page.context["rules"]
    assert {reason.name for reason, _unit, _remedy in rules} == REASONS
    for reason, unit, remedy in rules:
        assert f'id="{reason.name}"' in page.content.decode()
        assert len(str(remedy)) > 20
        assert str(unit) in page.content.decode()


def test_fields_are_those_of_the_format() -> None:
    """In the order of the table there, which names the unit first, and by the letters of records."""
    for reason in sorted(REASONS):
        assert set(fields_of(reason)) <= DOCUMENT_FIELDS | SEGMENT_FIELDS | {"j", "l", "y", "hex"}
        (line,) = [line for line in TEXT.read_text().splitlines() if f"| `{reason}` |" in line]
        unit = {"document": DOCUMENT_FIELDS | SEGMENT_FIELDS, "segment": SEGMENT_FIELDS, "record": {"records"}}
        named = set(fields_of(reason)) - {"j", "l", "y", "hex"}
        assert named <= unit[line.split("|")[1].strip()]


def test_the_whole_format_is_there_as_text(as_bob: Client, client: Client) -> None:
    answer = as_bob.get(reverse("report_format_text"))
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.content == TEXT.read_bytes()
    for name in ("report_format", "report_format_text"):
        assert client.get(reverse(name)).status_code == 302


def test_batches_lead_to_what_their_reasons_mean(version: Version, as_alice: Client, admin_user: User) -> None:
    batch = Batch.objects.create(
        day=days_ago(0), accepted=5, rejected={"unknown_locale": 1234}, use_case_ids=[version.use_case_id]
    )
    link = '<a href="/report-format/#unknown_locale">'
    shown = as_alice.get(reverse("batch", args=[batch.pk])).content.decode()
    assert link in shown
    assert "<code>locale</code>" in shown
    assert "1,234" in shown
    client = logged_in(admin_user)
    assert f"{link}unknown_locale</a>: 1,234" in client.get(reverse("admin:reports_batch_changelist")).content.decode()
