import datetime
import io

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from reports.models import ApiToken
from reports.models.uploads import utc_today
from tests.reports.factories import make_version, of_records, record_lines

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def create(name: str, *options: str) -> str:
    out = io.StringIO()
    call_command("create_token", name, *(options or ("--scope", "ingest")), stdout=out)
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


@pytest.mark.parametrize("scopes", [{"ingest"}, {"read"}, {"ingest", "read"}])
def test_scopes(scopes: set[str]) -> None:
    create("program", *(part for scope in scopes for part in ("--scope", scope)))
    token = ApiToken.objects.get()
    assert (token.may_ingest, token.may_read, token.every_use_case) == ("ingest" in scopes, "read" in scopes, True)


def test_some_use_cases() -> None:
    one, two, _three = (make_version(slug=slug).use_case for slug in ("one", "two", "three"))
    create("program", "--scope", "read", "--use-case", "one", "--use-case", "two")
    token = ApiToken.objects.get()
    assert not token.every_use_case
    assert set(token.use_cases.all()) == {one, two}


def test_a_use_case_that_is_not_there() -> None:
    make_version(slug="one")
    with pytest.raises(CommandError, match="no use case 'two'"):
        create("program", "--scope", "read", "--use-case", "one", "--use-case", "two")
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize(("options", "days"), [([], 365), (["--days", "1"], 1)])
def test_when_it_expires(options: list[str], days: int) -> None:
    create("program", "--scope", "ingest", *options)
    assert ApiToken.objects.get().expires_on == utc_today() + datetime.timedelta(days=days)


def test_days_that_do_not_do() -> None:
    for days in ("0", "-1", "366", "x", "1.5", "٣", "9" * 5000, ""):
        with pytest.raises(CommandError, match="whole number from 1 to 365"):
            create("program", "--scope", "ingest", f"--days={days}")
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("options", [["--days", "7"], ["--scope", "write"]])
def test_a_scope_has_to_be_said(options: list[str]) -> None:
    with pytest.raises(CommandError, match="--scope"):
        create("program", *options)


def test_a_name_that_is_taken() -> None:
    create("collector")
    before = list(ApiToken.objects.values())
    with pytest.raises(CommandError, match="'collector' already"):
        create("collector")
    assert list(ApiToken.objects.values()) == before


def test_names_that_do_not_do() -> None:
    for name in ("", "   ", "x" * 81):
        with pytest.raises(CommandError, match="1 to 80"):
            create(name)
    assert not ApiToken.objects.exists()
