import io

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from reports.models import ApiToken
from reports.models.uploads import utc_today
from tests.reports.factories import make_version, of_records, record_lines

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def create(name: str) -> str:
    out = io.StringIO()
    call_command("create_upload_token", name, stdout=out)
    return out.getvalue()


def test_the_secret_is_all_that_is_printed_and_works() -> None:
    make_version()
    secret = create("collector").removesuffix("\n")
    assert len(secret) >= 43
    assert "\n" not in secret
    client = Client(headers={"authorization": f"Bearer {secret}"})
    response = client.post("/api/v1/batches/", of_records(record_lines(3)), content_type="application/x-ndjson")
    assert response.status_code == 202


def test_only_its_digest_and_the_day_are_kept() -> None:
    secret = create("collector").strip()
    row = ApiToken.objects.values().get()
    assert secret not in str(row)
    assert row["digest"] == ApiToken.digest_of(secret)
    assert (row["created_on"], row["last_used_on"], row["revoked"]) == (utc_today(), None, False)


def test_each_is_another() -> None:
    assert create("one") != create("two")


def test_a_name_that_is_taken() -> None:
    create("collector")
    before = list(ApiToken.objects.values())
    with pytest.raises(CommandError, match="'collector' already"):
        create("collector")
    assert list(ApiToken.objects.values()) == before


@pytest.mark.parametrize("name", ["", "   ", "x" * 81])
def test_names_that_do_not_do(name: str) -> None:
    with pytest.raises(CommandError, match="1 to 80"):
        create(name)
    assert not ApiToken.objects.exists()
