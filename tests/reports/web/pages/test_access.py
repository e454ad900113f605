"""Every view, for those with rights and without: alice owns, bob looks, charlie has no access."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from reports.models import Run, Version
from tests.conftest import logged_in
from tests.reports.small_fleet import send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# View, method, and the status for alice, bob and charlie.
VIEWS = [
    ("home", "get", 200, 200, 200),
    ("use_case", "get", 200, 200, 404),
    ("use_case_csv", "get", 200, 200, 404),
    ("use_case_json", "get", 200, 200, 404),
    ("start_run", "get", 405, 405, 405),
    ("start_run", "post", 302, 404, 404),
    ("run", "get", 200, 404, 404),
    ("run_progress", "get", 200, 404, 404),
    ("retry_run", "get", 405, 405, 405),
    ("retry_run", "post", 302, 404, 404),
    ("upload", "get", 200, 404, 404),
    ("upload", "post", 422, 404, 404),
    ("batch", "get", 200, 404, 404),
    ("release_batch", "get", 302, 404, 404),
    ("release_batch", "post", 302, 404, 404),
    ("withdraw_batch", "get", 200, 404, 404),
    ("withdraw_batch", "post", 302, 404, 404),
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


def test_who_may_see_what(addresses: dict[str, str], alice: User, bob: User, charlie: User) -> None:
    for name, method, *statuses in VIEWS:
        for user, status in zip((alice, bob, charlie), statuses, strict=True):
            response = getattr(logged_in(user), method)(addresses[name])
            assert response.status_code == status, (name, method, user)
            if user == alice:  # no shared cache keeps it
                assert "private" in response.headers["Cache-Control"], (name, method)
                assert "Cookie" in response.headers["Vary"], (name, method)
