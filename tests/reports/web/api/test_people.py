"""Who may do what in the API: alice owns, bob sees, charlie has no access; unknown senders, tokens, superusers."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.collection import seal_days
from reports.models import ApiToken, Batch, Histogram, Version, Viewing
from reports.models.uploads import utc_today
from tests.conftest import logged_in
from tests.reports import small_fleet
from tests.reports.factories import batch_of, document, make_version, ndjson, of_records, record_lines, segment, send
from tests.reports.web.api.test_batches import UPLOAD, assert_problem
from tests.worlds import once

pytestmark = [pytest.mark.exact]

NDJSON = "application/x-ndjson"
HISTOGRAM = "/api/v1/use-cases/fruits/histogram/"
BODY = of_records(record_lines(5))


@pytest.fixture
@once
def version(db: None) -> Version:
    return make_version(minimum_reports=1)


@pytest.fixture
def clients(version: Version, alice: User, bob: User, charlie: User) -> dict[str, Client]:
    """A client for everybody, by name."""
    clients = {"anonymous": Client()}
    superuser = User.objects.create_superuser("root")
    inactive = User.objects.create_superuser("left", is_active=False)
    for person in (alice, bob, charlie, superuser, inactive):
        clients[person.username] = logged_in(person)
    _token, secret = ApiToken.create("collector", may_ingest=True)
    clients["token"] = Client(headers={"authorization": f"Bearer {secret}"})
    _token, secret = ApiToken.create("reader", may_read=True)
    clients["read token"] = Client(headers={"authorization": f"Bearer {secret}"})
    _token, secret = ApiToken.create("expired", may_ingest=True, may_read=True, expires_on=utc_today())
    clients["expired"] = Client(headers={"authorization": f"Bearer {secret}"})
    revoked, secret = ApiToken.create("revoked", may_ingest=True)
    revoked.revoked = True
    revoked.save()
    clients["revoked"] = Client(headers={"authorization": f"Bearer {secret}"})
    clients["bad token"] = Client(headers={"authorization": "Bearer x"})
    clients["empty token"] = Client(headers={"authorization": "Bearer "})
    clients["basic"] = Client(headers={"authorization": "Basic YWxpY2U6cGFzc3dvcmQ="})
    return clients


@pytest.fixture
@once
def batch(version: Version) -> Batch:
    return batch_of(send(BODY))


@pytest.fixture
@once
def histogram(db: None) -> Histogram:
    fruits = small_fleet.define()
    small_fleet.send(fruits, 200)
    small_fleet.aggregate(fruits)
    return Histogram.objects.filter(version=fruits)[0]


UNKNOWN = {
    **dict.fromkeys(("anonymous", "basic", "left"), "not-authenticated"),
    **dict.fromkeys(("revoked", "expired", "bad token", "empty token"), "authentication-failed"),
}


def test_unknown_senders_have_to_sign_in(clients: dict[str, Client]) -> None:
    for who, kind in UNKNOWN.items():
        for address in (UPLOAD, UPLOAD + "5b0a3d0e-3a0e-4b6e-9f0f-0c9c3b1f5a11/", HISTOGRAM):
            client = clients[who]
            response: Any = client.post(address, BODY, NDJSON) if address == UPLOAD else client.get(address)
            assert response.headers["WWW-Authenticate"] == "Bearer"
            assert_problem(response, 401, kind)
    assert not Batch.objects.exists()


def test_owners_and_uploading_tokens_upload(clients: dict[str, Client]) -> None:
    for who in ("bob", "charlie", "read token"):
        assert_problem(clients[who].post(UPLOAD, BODY, NDJSON), 404, "not-found")
    assert not Batch.objects.exists()
    for who in ("alice", "token", "root"):
        assert clients[who].post(UPLOAD, BODY, NDJSON).status_code == 202


def test_people_upload_only_for_what_they_own(clients: dict[str, Client]) -> None:
    make_version(slug="secret", owner_group="others")
    body = ndjson(document(segment(record_lines(2)), segment(record_lines(3), use_case="secret")))
    answer = clients["alice"].post(UPLOAD, body, NDJSON).json()
    assert (answer["accepted"], answer["rejected"]) == (2, {"unknown_use_case": 3})
    answer = clients["token"].post(UPLOAD, body, NDJSON).json()
    assert (answer["accepted"], answer["rejected"]) == (5, {})
    mixed = f"{UPLOAD}{answer['batch']}/"
    assert clients["alice"].get(mixed).status_code == 404
    assert clients["root"].get(mixed).status_code == 200


def test_a_batch_is_shown_to_its_owners_and_uploading_tokens(
    clients: dict[str, Client], version: Version, batch: Batch
) -> None:
    address = f"{UPLOAD}{batch.pk}/"
    for _open_then_sealed in range(2):
        for who in ("alice", "token", "root"):
            response = clients[who].get(address)
            assert (response.status_code, response.json()["status"]) == (200, "stored")
        for who in ("bob", "charlie", "read token"):
            response = clients[who].get(address)
            assert_problem(response, 404, "not-found")
            assert str(batch.pk).encode() not in response.content
        seal_days(version)


def test_a_histogram_is_shown_to_viewers_and_reading_tokens_and_recorded(
    clients: dict[str, Client], histogram: Histogram
) -> None:
    for who in ("charlie", "token"):
        response = clients[who].get(HISTOGRAM)
        assert assert_problem(response, 404, "not-found").keys() == {"type", "title", "status", "detail"}
        assert response.headers["Cache-Control"] == "private"
        # It looks exactly as if there were no such use case.
        assert clients[who].get(HISTOGRAM.replace("fruits", "nothing")).content == response.content
    assert not Viewing.objects.exists()
    for who, user, token in (("alice", "alice", None), ("bob", "bob", None), ("read token", None, "reader")):
        response = clients[who].get(HISTOGRAM)
        assert (response.status_code, response.headers["Cache-Control"]) == (200, "private")
        viewing = Viewing.objects.values_list("user__username", "token__name", "use_case__slug", "what").get()
        assert viewing == (user, token, "fruits", "api")
        Viewing.objects.all().delete()


def test_without_a_histogram_the_problem_says_why(clients: dict[str, Client]) -> None:
    small_fleet.define()
    response = clients["bob"].get(HISTOGRAM)
    assert assert_problem(response, 404, "not-yet")["state"] == "not-yet"
    for query in ("?from=x", "?to=2026-13-01", "?from=2026-02-02&to=2026-02-01", "?locale=xx_XX"):
        assert_problem(clients["bob"].get(HISTOGRAM + query), 400, "bad-parameter")
    assert not Viewing.objects.exists()


# --- Tokens ---


def with_token(**scope: Any) -> Client:
    _token, secret = ApiToken.create("limited", **scope)
    return Client(headers={"authorization": f"Bearer {secret}"})


def test_a_token_reads_its_use_cases_only(version: Version, histogram: Histogram) -> None:
    client = with_token(may_read=True, use_cases=[histogram.version.use_case])
    assert client.get(HISTOGRAM).status_code == 200
    others = client.get(HISTOGRAM.replace("fruits", version.use_case.slug))
    assert_problem(others, 404, "not-found")
    assert others.content == client.get(HISTOGRAM.replace("fruits", "nothing")).content


def test_a_token_uploads_for_its_use_cases_only(version: Version) -> None:
    other = make_version(slug="secret")
    client = with_token(may_ingest=True, use_cases=[version.use_case])
    body = ndjson(document(segment(record_lines(2)), segment(record_lines(3), use_case="secret")))
    answer = client.post(UPLOAD, body, NDJSON).json()
    assert (answer["accepted"], answer["rejected"]) == (2, {"unknown_use_case": 3})
    assert not other.shards.exists()
    mixed = send(body)
    assert client.get(f"{UPLOAD}{answer['batch']}/").status_code == 200
    assert client.get(f"{UPLOAD}{mixed.batch}/").status_code == 404


def test_a_token_whose_use_cases_are_gone_is_told_that_its_reports_are_not_wanted(version: Version) -> None:
    client = with_token(may_ingest=True, may_read=True, use_cases=[])
    content = assert_problem(client.post(UPLOAD, BODY, NDJSON), 422, "nothing-usable")
    assert content["rejected"] == {"unknown_use_case": 5}
    assert client.get(HISTOGRAM.replace("fruits", version.use_case.slug)).status_code == 404


def test_use_of_a_token_is_noted_by_the_day(clients: dict[str, Client]) -> None:
    assert ApiToken.objects.get(name="collector").last_used_on is None
    clients["token"].post(UPLOAD, BODY, NDJSON)
    assert ApiToken.objects.get(name="collector").last_used_on == utc_today()
    clients["expired"].post(UPLOAD, BODY, NDJSON)
    assert not ApiToken.objects.filter(name__in=("revoked", "expired")).exclude(last_used_on=None).exists()


def test_a_token_wins_over_a_session(clients: dict[str, Client]) -> None:
    """A request with a token means to use it: a bad one is an error, not another way to be a person."""
    response = clients["root"].get(HISTOGRAM, headers={"authorization": "Bearer x"})
    assert response.status_code == 401


def test_a_session_needs_the_token_against_forgery(version: Version, alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert_problem(client.post(UPLOAD, BODY, NDJSON), 403, "permission-denied")
    assert not Batch.objects.exists()


def test_a_token_needs_none_and_its_scheme_is_read_in_any_case(version: Version) -> None:
    _token, secret = ApiToken.create("collector", may_ingest=True)
    for scheme in ("Bearer", "bearer", "BEARER"):
        client = Client(enforce_csrf_checks=True, headers={"authorization": f"{scheme} {secret}"})
        assert client.post(UPLOAD, BODY, NDJSON).status_code == 202


# --- The API's own errors ---


def test_errors_of_the_framework_are_problems(clients: dict[str, Client]) -> None:
    """Also without the last slash: a redirect would turn an upload into an empty question."""
    for address in ("/api/v1/", "/api/v1/nothing/", UPLOAD + "7/", "/api/v1/batches", "/api/v1/use-cases/a/b/"):
        for method in ("get", "post"):
            assert_problem(getattr(clients["token"], method)(address), 404, "not-found")
            assert_problem(getattr(clients["anonymous"], method)(address), 401, "not-authenticated")
    for method, address in (("get", UPLOAD), ("put", UPLOAD), ("post", HISTOGRAM)):
        response = getattr(clients["root"], method)(address)
        assert_problem(response, 405, "method-not-allowed")
        assert response.headers["Allow"]
    assert_problem(clients["bob"].get(HISTOGRAM, headers={"accept": "text/html"}), 406, "not-acceptable")
