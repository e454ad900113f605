"""Files that a browser fetches before it shows its first chart, as a service has them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.test.testcases import LiveServerThread
from playwright.sync_api import expect
from pytest_django import Settings

from ldpsite import settings as of_services
from reports.models import Run
from tests.browser.conftest import Visit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MOST_BYTES = 500_000


class _Application(WSGIHandler):
    """The application as a service has it: it answers for static files itself."""

    def __init__(self, _application: WSGIHandler) -> None:
        super().__init__()


@pytest.fixture
def service(settings: Settings, tmp_path: Path, published: Run) -> Iterator[str]:
    """The address of a server that has collected its static files: compressed, and with names that change with them."""
    settings.STORAGES = settings.STORAGES | {"staticfiles": of_services.STORAGES["staticfiles"]}
    settings.STATIC_ROOT = tmp_path / "static"
    settings.WHITENOISE_AUTOREFRESH = settings.WHITENOISE_USE_FINDERS = False
    call_command("collectstatic", interactive=False, verbosity=0)
    thread = LiveServerThread("localhost", _Application)
    thread.daemon = True
    thread.start()
    thread.is_ready.wait()
    assert thread.error is None
    yield f"http://{thread.host}:{thread.port}"
    thread.terminate()


def test_first_view_of_a_histogram_is_small(service: str, visit: Callable[..., Visit]) -> None:
    window = visit(own=True)
    window.site = service
    window.log_in("alice")
    session = window.context.new_cdp_session(window.page)
    received: dict[str, float] = {}
    names: dict[str, str] = {}

    def note_name(event: dict[str, Any]) -> None:
        names[event["requestId"]] = event["response"]["url"]

    def note_size(event: dict[str, Any]) -> None:
        received[names[event["requestId"]]] = event["encodedDataLength"]

    session.on("Network.responseReceived", note_name)
    session.on("Network.loadingFinished", note_size)
    session.send("Network.enable")
    session.send("Network.clearBrowserCache")
    window.page.goto(f"{service}/use-cases/fruits/", wait_until="networkidle")
    expect(window.page.locator("#chart[data-drawn]")).to_be_visible()
    scripts = [name for name in received if "/plotly" in name]
    assert len(scripts) == 1
    assert sum(received.values()) <= MOST_BYTES, received
    assert received[window.page.url] < 20_000, "the page itself is compressed, too"
