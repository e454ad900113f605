"""GET /api/v1/device-configuration/: the same bytes for everybody, and nothing by which devices could be told apart."""

import hashlib
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from pytest_django.live_server_helper import LiveServer

from aggregation.device import Device, Observed, Sending
from reports.collection.devices import published
from reports.models import ApiToken, DeviceRecord, UseCase
from reports.web.api.device_configuration import device_configuration
from tests.reports.factories import make_version
from tests.reports.web.api.test_batches import assert_problem

pytestmark = pytest.mark.exact

URL = "/api/v1/device-configuration/"
REPORTS = "/api/v1/reports/"


@pytest.fixture
def body(db: None) -> bytes:
    make_version()
    return published().body


def test_the_answer(body: bytes) -> None:
    response = Client().get(URL)
    assert response.status_code == 200
    assert response.content == body
    assert response.headers["ETag"] == f'"{hashlib.sha256(body).hexdigest()}"'
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"].startswith("public")
    assert response.headers["Content-Length"] == str(len(body))


def test_everybody_gets_the_same_answer(body: bytes, alice: User) -> None:
    """Headers, too, and to all senders, with all that they bring."""
    anonymous, signed_in = Client(), Client()
    signed_in.force_login(alice)
    secret = ApiToken.create("collector", may_ingest=True)[1]
    stale = Client()
    # Cookies that other layers would answer with cookies of their own.
    stale.cookies[settings.SESSION_COOKIE_NAME] = ""
    stale.cookies[settings.CSRF_COOKIE_NAME] = "not one of ours"
    stale.cookies[settings.LANGUAGE_COOKIE_NAME] = "fr"
    answers = [
        anonymous.get(URL),
        anonymous.get(URL, {"device": "7"}),
        signed_in.get(URL),
        stale.get(URL),
        *(
            anonymous.get(URL, headers=headers)
            for headers in (
                {"accept-language": "fr"},
                {"accept": "text/html"},
                {"accept": "nothing/known"},
                {"user-agent": "device 7"},
                {"authorization": f"Bearer {secret}"},
                {"authorization": "Bearer wrong"},
                {"if-none-match": '"another"'},
            )
        ),
    ]
    for answer in answers:
        assert (answer.status_code, answer.content) == (200, body)
        assert dict(answer.headers) == dict(answers[0].headers)
        assert not answer.cookies
        assert not {"Vary", "Content-Language", "Set-Cookie"} & set(answer.headers)


def test_who_has_it_gets_304(body: bytes) -> None:
    tag = f'"{hashlib.sha256(body).hexdigest()}"'
    for asked in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        response = Client().get(URL, headers={"if-none-match": asked, "accept-language": "fr"})
        assert (response.status_code, response.content) == (304, b"")
        assert response.headers["ETag"] == tag
        assert not {"Vary", "Content-Language", "Set-Cookie"} & set(response.headers)
    UseCase.objects.update(state=UseCase.State.PAUSED)
    assert Client().get(URL, headers={"if-none-match": tag}).status_code == 200


def test_head_has_the_headers_and_no_body_and_other_methods_are_refused(body: bytes) -> None:
    """Asked also past the test client, which drops a body that a server would have to drop."""
    response = device_configuration(RequestFactory().head(URL))
    assert (response.content, response.headers["Content-Length"]) == (b"", str(len(body)))
    head, full = Client().head(URL), Client().get(URL)
    assert (head.status_code, head.content) == (200, b"")
    assert dict(head.headers) == dict(full.headers)
    for method in ("post", "put", "patch", "delete"):
        assert_problem(getattr(Client(), method)(URL), 405, "method-not-allowed")


@pytest.mark.django_db
def test_devices_get_no_cookie_when_they_send_either() -> None:
    client = Client()
    client.cookies[settings.CSRF_COOKIE_NAME] = "not one of ours"
    client.cookies[settings.SESSION_COOKIE_NAME] = ""
    response = client.post(REPORTS, b"{}", "application/json", headers={"accept-language": "fr"})
    assert response.status_code == 400
    assert not response.cookies
    assert not {"Vary", "Content-Language", "Set-Cookie"} & set(response.headers)


@pytest.mark.django_db(transaction=True)
def test_a_python_device_and_the_site_understand_each_other(live_server: LiveServer, tmp_path: Path) -> None:
    make_version(daily_limit=2)
    device = Device(tmp_path / "device", sleep=lambda _seconds: None)
    device.opt_in(8)
    assert device.fetch_configuration(live_server.url).sha256 == published().sha256
    for _ in range(3):
        assert device.observe("keyboard-emoji", "❤️", "fr_FR") is Observed.HELD
    delivery = device.send(live_server.url, at_once=True)
    assert (delivery.outcome, delivery.reports) == (Sending.ACCEPTED, 2)
    assert DeviceRecord.objects.filter(version__use_case__slug="keyboard-emoji", locale="fr_FR").count() == 2
    assert device.send(live_server.url, at_once=True).outcome is Sending.SENT_TODAY
