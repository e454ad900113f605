import gzip
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.test.client import FakePayload
from django.urls import resolve, reverse

from ldpsite.body_sizes import SMALL_BODY_BYTES
from ldpsite.middleware import POLICY, PageCompressionMiddleware, default_headers
from tests.conftest import logged_in
from tests.reports.factories import make_version

pytestmark = pytest.mark.exact


def test_every_response_names_its_sources_and_is_kept_by_no_shared_cache() -> None:
    response = default_headers(lambda _: HttpResponse())(HttpRequest())
    assert (response["Content-Security-Policy"], response["Cache-Control"]) == (POLICY, "private")
    assert "unsafe-eval" not in POLICY
    assert "script-src" not in POLICY


def test_a_view_may_say_otherwise() -> None:
    own = {"Content-Security-Policy": "frame-ancestors https://wiki.example", "Cache-Control": "no-store"}
    response = default_headers(lambda _: HttpResponse(headers=own))(HttpRequest())
    assert {name: response[name] for name in own} == own


@pytest.mark.django_db
def test_headers_of_a_real_page(client: Client) -> None:
    response = client.get("/admin/login/")
    assert response["Content-Security-Policy"] == POLICY
    assert response["Referrer-Policy"] == "same-origin"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert b"<script>" not in response.content


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


LARGE = {"a": "x" * SMALL_BODY_BYTES}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    ["/", "/accounts/login/", "/admin/login/", "/language/", "/planner/", "/admin/reports/usecase/add/", "/nowhere/"],
)
def test_large_bodies_are_not_read_where_no_files_are_sent(client: Client, admin_user: User, address: str) -> None:
    """Not even from people who are logged in: that would go on before anything else is looked at."""
    as_root = logged_in(admin_user)
    for sender in (client, as_root):
        with mock.patch.object(FakePayload, "read", side_effect=AssertionError("it is read")):
            assert sender.post(address, LARGE).status_code in (404, 413)
        assert sender.post(address, {"a": "x"}).status_code != 413


@pytest.mark.django_db
def test_large_bodies_are_read_where_files_are_sent(client: Client, admin_user: User) -> None:
    """From people who are logged in, and where a token, or the length, is looked at first."""
    version = make_version()
    as_root = logged_in(admin_user)
    for address in ("/batches/new/", reverse("admin:reports_version_dictionary", args=[version.pk])):
        assert client.post(address, LARGE).status_code == 413
        file = SimpleUploadedFile("a.txt", b"\xff" * SMALL_BODY_BYTES)
        assert as_root.post(address, {"text": "", "file": file}).status_code == 422
    large = "x" * (SMALL_BODY_BYTES + 1)
    assert client.post("/api/v1/batches/", large, "application/json").status_code == 401
    answer = client.post("/api/v1/reports/", large, "application/json")
    assert answer.json()["type"] == "urn:ldpsite:problem:upload-too-large"
