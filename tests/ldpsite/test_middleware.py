import gzip

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import resolve, reverse

from ldpsite.gunicorn_worker import BODY_BYTES
from ldpsite.middleware import POLICY, SMALL_BODY_BYTES, PageCompressionMiddleware, content_security_policy, private

pytestmark = pytest.mark.exact


def test_every_response_names_its_sources() -> None:
    response = content_security_policy(lambda _: HttpResponse())(HttpRequest())
    assert response["Content-Security-Policy"] == POLICY
    assert "unsafe-eval" not in POLICY
    assert "script-src" not in POLICY


def test_a_view_may_set_its_own_policy() -> None:
    own = HttpResponse(headers={"Content-Security-Policy": "frame-ancestors https://wiki.example"})
    response = content_security_policy(lambda _: own)(HttpRequest())
    assert response["Content-Security-Policy"] == "frame-ancestors https://wiki.example"


@pytest.mark.django_db
def test_headers_of_a_real_page(client: Client) -> None:
    response = client.get("/admin/login/")
    assert response["Content-Security-Policy"] == POLICY
    assert response["Referrer-Policy"] == "same-origin"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert b"<script>" not in response.content


def test_what_is_shown_to_one_is_kept_by_no_shared_cache() -> None:
    assert private(lambda _: HttpResponse())(HttpRequest())["Cache-Control"] == "private"
    own = HttpResponse(headers={"Cache-Control": "no-store"})
    assert private(lambda _: own)(HttpRequest())["Cache-Control"] == "no-store"


def test_static_files_may_be_kept_by_all(client: Client) -> None:
    assert "public" in client.get("/static/reports/site.css")["Cache-Control"]


@pytest.mark.django_db
def test_pages_are_compressed_each_to_another_size(client: Client) -> None:
    plain = client.get("/accounts/login/")
    answers = [client.get("/accounts/login/", headers={"accept-encoding": "gzip, br"}) for _ in range(8)]
    assert {answer["Content-Encoding"] for answer in answers} == {"gzip"}
    assert all("Accept-Encoding" in answer["Vary"] for answer in answers)
    # All that differs is the token against forged requests, which is masked each time, and how much padding there is.
    texts = [gzip.decompress(answer.content) for answer in answers]
    assert len(set(texts)) == len(texts)
    assert {len(text) for text in texts} == {len(plain.content)}
    assert len({len(answer.content) for answer in answers}) > 1
    assert max(len(answer.content) for answer in answers) < len(plain.content) / 2


@pytest.mark.parametrize(
    ("method", "content_type"),
    [("POST", "text/html"), ("GET", "application/json"), ("GET", "text/csv"), ("GET", "application/problem+json")],
)
def test_answers_to_forms_files_and_the_api_are_not_compressed(method: str, content_type: str) -> None:
    request = RequestFactory().generic(method, "/", headers={"accept-encoding": "gzip"})
    answer = PageCompressionMiddleware(lambda _: HttpResponse("a" * 1000, content_type=content_type))(request)
    assert isinstance(answer, HttpResponse)
    assert answer.content == b"a" * 1000
    assert "Content-Encoding" not in answer
    assert "Vary" not in answer


def test_pages_with_keys_are_not_compressed() -> None:
    request = RequestFactory().get("/", headers={"accept-encoding": "gzip"})
    request.resolver_match = resolve(reverse("subscriptions"))
    answer = PageCompressionMiddleware(lambda _: HttpResponse("a" * 1000))(request)
    assert isinstance(answer, HttpResponse)
    assert "Content-Encoding" not in answer


@pytest.mark.django_db
def test_large_bodies_are_read_from_people_who_are_logged_in(client: Client, bob: User) -> None:
    """And where a token, or the length, is looked at first."""
    assert SMALL_BODY_BYTES == BODY_BYTES
    as_bob = Client()
    as_bob.force_login(bob)
    for address in ("/accounts/login/", "/admin/login/", "/batches/new/", "/"):
        answers = [who.post(address, {"a": "x" * SMALL_BODY_BYTES}).status_code for who in (client, as_bob)]
        assert answers[0] == 413
        assert answers[1] != 413
        assert client.post(address, {"a": "x"}).status_code != 413
    large = "x" * (SMALL_BODY_BYTES + 1)
    assert client.post("/api/v1/batches/", large, "application/json").status_code == 401
    answer = client.post("/api/v1/reports/", large, "application/json")
    assert answer.json()["type"] == "urn:ldpsite:problem:upload-too-large"
