"""A token that is taken back is good for nothing."""

import io

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from reports.models import ApiToken

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_a_revoked_token_is_refused() -> None:
    _token, secret = ApiToken.create("collector", may_ingest=True)
    client = APIClient(headers={"Authorization": f"Bearer {secret}"})
    assert client.post("/api/v1/batches/").status_code == 415  # it got past the door
    call_command("revoke_token", "collector", stdout=io.StringIO())
    assert client.post("/api/v1/batches/").status_code == 401


def test_a_name_that_is_not_there_is_said() -> None:
    with pytest.raises(CommandError, match="no token called 'collector'"):
        call_command("revoke_token", "collector")
