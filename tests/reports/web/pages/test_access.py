"""Views of owners, for alice, who is one, and for bob, who looks: for charlie tests.promises asks all of them."""

import pytest
from django.test import Client
from django.urls import reverse

from reports.models import Run, Version
from tests.reports.small_fleet import send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# View, method, and the status for alice and bob.
VIEWS = [
    ("home", "get", 200, 200),
    ("use_case", "get", 200, 200),
    ("use_case_csv", "get", 200, 200),
    ("use_case_json", "get", 200, 200),
    ("start_run", "post", 302, 404),
    ("run", "get", 200, 404),
    ("run_progress", "get", 200, 404),
    ("retry_run", "post", 302, 404),
    ("upload", "get", 200, 404),
    ("upload", "post", 422, 404),
    ("batch", "get", 200, 404),
    ("release_batch", "get", 302, 404),
    ("release_batch", "post", 302, 404),
    ("withdraw_batch", "get", 200, 404),
    ("withdraw_batch", "post", 302, 404),
]


@pytest.fixture
def addresses(published: Run, version: Version) -> dict[str, str]:
    batch, _counts = send(version, 10)
    use_case, run, upload = ["fruits"], [str(published.pk)], [str(batch.batch)]
    arguments = {
        "use_case": use_case,
        "use_case_csv": use_case,
        "use_case_json": use_case,
        "start_run": use_case,
        "run": run,
        "run_progress": run,
        "retry_run": run,
        "batch": upload,
        "release_batch": upload,
        "withdraw_batch": upload,
    }
    return {name: reverse(name, args=arguments.get(name, [])) for name, *_rest in VIEWS}


def test_who_may_see_what(addresses: dict[str, str], as_alice: Client, as_bob: Client) -> None:
    for name, method, of_alice, of_bob in VIEWS:
        response = getattr(as_alice, method)(addresses[name])
        assert response.status_code == of_alice, (name, method)
        # No shared cache keeps it.
        assert "private" in response.headers["Cache-Control"], (name, method)
        assert "Cookie" in response.headers["Vary"], (name, method)
        assert getattr(as_bob, method)(addresses[name]).status_code == of_bob, (name, method)
