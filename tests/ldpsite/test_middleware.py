import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client

from ldpsite.middleware import POLICY, content_security_policy, private

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
