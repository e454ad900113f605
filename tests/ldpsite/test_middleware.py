import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client

from ldpsite.middleware import POLICY, content_security_policy

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
