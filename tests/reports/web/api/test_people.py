"""Who may do what in the API: alice owns, bob sees, charlie has no access; and nobody, tokens, superusers."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.collection import seal_days
from reports.models import ApiToken, Batch, Histogram, Version, Viewing
from reports.models.uploads import utc_today
from tests.reports import small_fleet
from tests.reports.factories import batch_of, document, make_version, ndjson, of_records, record_lines, segment, send
from tests.reports.web.api.test_batches import TYPE, UPLOAD, assert_problem
from tests.worlds import once

pytestmark = [pytest.mark.exact]

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
        clients[person.username] = Client()
        clients[person.username].force_login(person)
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


NOBODY = ("anonymous", "revoked", "expired", "bad token", "empty token", "basic", "left")


@pytest.mark.parametrize("who", NOBODY)
@pytest.mark.parametrize("address", [UPLOAD, UPLOAD + "5b0a3d0e-3a0e-4b6e-9f0f-0c9c3b1f5a11/", HISTOGRAM])
def test_who_is_not_known_has_to_sign_in(clients: dict[str, Client], who: str, address: str) -> None:
    client = clients[who]
    response: Any = client.post(address, BODY, "application/x-ndjson") if address == UPLOAD else client.get(address)
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    kind = "authentication-failed" if who in ("revoked", "expired", "bad token", "empty token") else "not-authenticated"
    assert_problem(response, 401, kind)
    assert not Batch.objects.exists()


@pytest.mark.parametrize(
    ("who", "status"),
    [("alice", 202), ("bob", 404), ("charlie", 404), ("token", 202), ("read token", 404), ("root", 202)],
)
def test_upload(clients: dict[str, Client], who: str, status: int) -> None:
    response = clients[who].post(UPLOAD, BODY, "application/x-ndjson")
    assert response.status_code == status
    assert Batch.objects.count() == (status == 202)
    if status == 404:
        assert_problem(response, 404, "not-found")


def test_people_upload_only_for_what_they_own(clients: dict[str, Client]) -> None:
    make_version(slug="secret", owner_group="others")
    body = ndjson(document(segment(record_lines(2)), segment(record_lines(3), use_case="secret")))
    answer = clients["alice"].post(UPLOAD, body, "application/x-ndjson").json()
    assert (answer["accepted"], answer["rejected"]) == (2, {"unknown_use_case": 3})
    answer = clients["token"].post(UPLOAD, body, "application/x-ndjson").json()
    assert (answer["accepted"], answer["rejected"]) == (5, {})


@pytest.mark.parametrize(
    ("who", "status"),
    [("alice", 200), ("bob", 404), ("charlie", 404), ("token", 200), ("read token", 404), ("root", 200)],
)
def test_batch(clients: dict[str, Client], batch: Batch, who: str, status: int) -> None:
    response = clients[who].get(f"{UPLOAD}{batch.pk}/")
    assert response.status_code == status
    if status == 404:
        assert_problem(response, 404, "not-found")
        assert str(batch.pk).encode() not in response.content


def test_owners_do_not_see_batches_of_others(clients: dict[str, Client]) -> None:
    make_version(slug="secret", owner_group="others")
    mixed = send(ndjson(document(segment(record_lines(2)), segment(record_lines(3), use_case="secret"))))
    assert clients["alice"].get(f"{UPLOAD}{mixed.batch}/").status_code == 404
    assert clients["root"].get(f"{UPLOAD}{mixed.batch}/").status_code == 200


def test_a_sealed_batch(clients: dict[str, Client], version: Version, batch: Batch) -> None:
    seal_days(version)
    assert clients["alice"].get(f"{UPLOAD}{batch.pk}/").status_code == 200
    assert clients["bob"].get(f"{UPLOAD}{batch.pk}/").status_code == 404
    assert clients["root"].get(f"{UPLOAD}{batch.pk}/").status_code == 200
    assert clients["token"].get(f"{UPLOAD}{batch.pk}/").status_code == 200


@pytest.mark.parametrize(
    ("who", "status"),
    [("alice", 200), ("bob", 200), ("charlie", 404), ("token", 404), ("read token", 200), ("root", 200)],
)
def test_histogram(clients: dict[str, Client], histogram: Histogram, who: str, status: int) -> None:
    response = clients[who].get(HISTOGRAM)
    assert response.status_code == status
    assert response.headers["Cache-Control"] == "private"
    assert Viewing.objects.count() == (status == 200)
    if status == 404:
        assert assert_problem(response, 404, "not-found").keys() == {"type", "title", "status", "detail"}
        # It looks exactly as if there were no such use case.
        elsewhere = clients[who].get(HISTOGRAM.replace("fruits", "nothing"))
        assert elsewhere.content == response.content


def test_what_is_looked_at_is_noted(clients: dict[str, Client], histogram: Histogram) -> None:
    clients["bob"].get(HISTOGRAM)
    viewing = Viewing.objects.get()
    assert viewing.user is not None
    assert (viewing.user.username, viewing.use_case.slug, viewing.what) == ("bob", "fruits", "api")


def test_what_a_program_reads_is_noted(clients: dict[str, Client], histogram: Histogram) -> None:
    clients["read token"].get(HISTOGRAM)
    viewing = Viewing.objects.get()
    assert viewing.token is not None
    assert (viewing.user, viewing.token.name, viewing.use_case.slug, viewing.what) == (None, "reader", "fruits", "api")


def test_no_histogram_yet(clients: dict[str, Client]) -> None:
    small_fleet.define()
    response = clients["bob"].get(HISTOGRAM)
    assert response.status_code == 404
    assert response.headers["Content-Type"] == "application/problem+json"
    content = response.json()
    assert content["type"] == TYPE + content["state"]
    assert not Viewing.objects.exists()


@pytest.mark.parametrize("query", ["?from=x", "?to=2026-13-01", "?from=2026-02-02&to=2026-02-01", "?locale=xx_XX"])
def test_parameters_that_cannot_be_understood(clients: dict[str, Client], query: str) -> None:
    small_fleet.define()
    assert_problem(clients["bob"].get(HISTOGRAM + query), 400, "bad-parameter")


# --- Tokens ---


def test_the_secret_of_a_token_is_not_kept(db: None) -> None:
    token, secret = ApiToken.create("collector", may_ingest=True)
    assert len(secret) >= 43
    assert secret not in str(ApiToken.objects.values().get())
    assert token.digest != secret


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
    answer = client.post(UPLOAD, body, "application/x-ndjson").json()
    assert (answer["accepted"], answer["rejected"]) == (2, {"unknown_use_case": 3})
    assert not other.shards.exists()
    mixed = send(body)
    assert client.get(f"{UPLOAD}{answer['batch']}/").status_code == 200
    assert client.get(f"{UPLOAD}{mixed.batch}/").status_code == 404


def test_a_token_whose_use_cases_are_gone_is_told_that_nobody_wants_its_reports(version: Version) -> None:
    client = with_token(may_ingest=True, may_read=True, use_cases=[])
    content = assert_problem(client.post(UPLOAD, BODY, "application/x-ndjson"), 422, "nothing-usable")
    assert content["rejected"] == {"unknown_use_case": 5}
    assert client.get(HISTOGRAM.replace("fruits", version.use_case.slug)).status_code == 404


def test_use_of_a_token_is_noted_by_the_day(clients: dict[str, Client]) -> None:
    assert ApiToken.objects.get(name="collector").last_used_on is None
    clients["token"].post(UPLOAD, BODY, "application/x-ndjson")
    assert ApiToken.objects.get(name="collector").last_used_on == utc_today()
    clients["expired"].post(UPLOAD, BODY, "application/x-ndjson")
    assert not ApiToken.objects.filter(name__in=("revoked", "expired")).exclude(last_used_on=None).exists()


def test_a_token_wins_over_a_session(clients: dict[str, Client]) -> None:
    """Who sends a token means to use it: a bad one is an error, not another way to be somebody."""
    response = clients["root"].get(HISTOGRAM, headers={"authorization": "Bearer x"})
    assert response.status_code == 401


@pytest.mark.parametrize("scheme", ["bearer", "BEARER"])
def test_the_scheme_is_read_in_any_case(version: Version, scheme: str) -> None:
    _token, secret = ApiToken.create("collector", may_ingest=True)
    client = Client(headers={"authorization": f"{scheme} {secret}"})
    assert client.post(UPLOAD, BODY, "application/x-ndjson").status_code == 202


def test_a_session_needs_the_token_against_forgery(version: Version, alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert_problem(client.post(UPLOAD, BODY, "application/x-ndjson"), 403, "permission-denied")
    assert not Batch.objects.exists()


def test_an_upload_token_needs_none(version: Version) -> None:
    _token, secret = ApiToken.create("collector", may_ingest=True)
    client = Client(enforce_csrf_checks=True, headers={"authorization": f"Bearer {secret}"})
    assert client.post(UPLOAD, BODY, "application/x-ndjson").status_code == 202


# --- The API's own errors ---


@pytest.mark.parametrize(
    "address", ["/api/v1/", "/api/v1/nothing/", UPLOAD + "7/", "/api/v1/batches", "/api/v1/use-cases/a/b/"]
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_addresses_that_are_not_there(clients: dict[str, Client], address: str, method: str) -> None:
    """Also without the last slash: a redirect would turn an upload into an empty question."""
    assert_problem(getattr(clients["token"], method)(address), 404, "not-found")
    assert_problem(getattr(clients["anonymous"], method)(address), 401, "not-authenticated")


@pytest.mark.parametrize(("method", "address"), [("get", UPLOAD), ("put", UPLOAD), ("post", HISTOGRAM)])
def test_methods_that_are_not_there(clients: dict[str, Client], method: str, address: str) -> None:
    response = getattr(clients["root"], method)(address)
    assert_problem(response, 405, "method-not-allowed")
    assert response.headers["Allow"]


def test_other_representations(clients: dict[str, Client]) -> None:
    assert_problem(clients["bob"].get(HISTOGRAM, headers={"accept": "text/html"}), 406, "not-acceptable")
