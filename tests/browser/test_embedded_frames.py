"""An embedded page in frames of other sites."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from reports.embedding import make_token
from reports.models import Run, Viewing

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@contextmanager
def other_site(content: str) -> Iterator[str]:
    """Yield the origin of another site on this machine, with one page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def stranger(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 700, "height": 900})
    yield context.new_page()
    context.close()


def test_an_embedded_page_is_drawn_in_frames_of_allowed_sites_alone(
    published: Run, alice: User, live_server: LiveServer, settings: Settings, stranger: Page
) -> None:
    token = make_token(alice, published.version.use_case, "use_case", "", 7)
    frame = f'<title>Wiki</title><iframe src="{live_server.url}/embed/{token}/" width="680" height="800"></iframe>'
    with other_site(frame) as wiki, other_site(frame) as elsewhere:
        settings.LDPSITE_EMBED_ORIGINS = [wiki]
        faults: list[str] = []
        stranger.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        stranger.goto(wiki)
        inner = stranger.frame_locator("iframe")
        # In so narrow a frame the table has the bars.
        expect(inner.locator("table.histogram")).to_be_visible()
        expect(inner.get_by_role("heading", level=1)).to_have_text("Popular emoji")
        expect(inner.locator("tbody tr")).to_have_count(8)
        wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert stranger.frames[1].evaluate(wide)
        assert not [fault for fault in faults if "favicon" not in fault]
        # Nothing is kept in the browser, and it is known under whose name it was opened.
        assert not stranger.context.cookies()
        assert list(Viewing.objects.values_list("user", "what")) == [(alice.pk, "embed")]
        with stranger.expect_console_message(lambda message: "frame-ancestors" in message.text):
            stranger.goto(elsewhere)
        expect(stranger.frame_locator("iframe").get_by_text("Popular emoji")).to_have_count(0)
