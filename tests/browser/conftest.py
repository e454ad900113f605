"""A real Chromium, and a page that must stay on the site and be quiet about it."""

import io
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.signals import request_finished, request_started
from django.test import Client
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Locator,
    Page,
    Request,
    WebError,
    expect,
    sync_playwright,
)
from pytest_django.live_server_helper import LiveServer

from aggregation.normalization import normalize
from reports.collection.ingest import Upload, ingest
from reports.models import Batch, Run, UseCase, Version
from reports.simulation import Fleet, Shares
from tests.oidc_provider import oidc_process, provider  # noqa: F401
from tests.reports.factories import batch_of
from tests.reports.small_fleet import aggregate, define
from tests.worlds import once

# The first is Chromium without windows, menus and extensions: its pages are the others', and take a quarter less time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    # Nothing is drawn by a graphics card: a process for it would only have to be talked to.
    "--in-process-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
EMOJI = ("😂", "❤️", "👍", "😭", "🔥", "🎉", "1️⃣", "🇫🇷")
PROBABILITIES = {
    "en_US": (0.35, 0.20, 0.15, 0.10, 0.08, 0.06, 0.03, 0.03),
    "fr_FR": (0.20, 0.30, 0.15, 0.10, 0.05, 0.05, 0.05, 0.10),
}

# As long as everything else of Playwright waits: no machine is too slow.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"none of {', '.join(NAMES)} is installed (Debian: chromium-headless-shell)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


# The site's own fonts, by the Debian package that has them: others are wider, and have emoji without colours.
FONTS = {"Noto Sans": "fonts-noto-core", "Noto Color Emoji": "fonts-noto-color-emoji"}


@pytest.fixture(scope="session")
def fonts() -> None:
    """Skip, and say which package is missing, where the browser would draw pages in other fonts."""
    lister = shutil.which("fc-list")
    if lister is None:
        pytest.skip("fc-list is not installed (Debian: fontconfig)")
    families = subprocess.run([lister, ":", "family"], capture_output=True, text=True, check=True).stdout
    installed = {family for line in families.splitlines() for family in line.split(",")}
    if missing := [f"{font} (Debian: {package})" for font, package in FONTS.items() if font not in installed]:
        pytest.skip(f"fonts are not installed: {', '.join(missing)}")


def follow(target: Locator) -> None:
    """Click on what leads to another page, and wait until that is there. A click alone does not wait for it."""
    with target.page.expect_navigation():
        target.click()


@dataclass
class Visit:
    """A browser window on the site, and everything it should not have done."""

    context: BrowserContext
    page: Page
    site: str
    faults: list[str] = field(default_factory=list)
    # Whether to leave a page that asks; None where none may ask.
    leave: bool | None = None
    asked: int = 0

    def listen(self) -> None:
        for event, note in self._listeners:
            self.context.on(event, note)

    def forget(self) -> None:
        """Become as a new window is: on no page, and with nothing kept of those that it was on."""
        for event, note in self._listeners:
            self.context.remove_listener(event, note)
        self.page.goto("about:blank")
        self.page.emulate_media(media="null", reduced_motion="null")
        self.context.set_offline(False)
        self.context.clear_permissions()
        self.context.clear_cookies()

    @property
    def _listeners(self) -> list[tuple[Any, Callable[[Any], None]]]:
        return [
            ("request", self.note_request),
            ("console", self.note_console),
            ("dialog", self.note_dialog),
            ("weberror", self.note_error),
        ]

    def log_in(self, name: str) -> None:
        """Log in beside the form, which takes two pages."""
        client = Client()
        client.force_login(User.objects.get(username=name))
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": self.site}])

    def note_request(self, request: Request) -> None:
        if not request.url.startswith((self.site, "data:", f"blob:{self.site}")):
            self.faults.append(f"a request left the site: {request.url}")

    def note_console(self, message: ConsoleMessage) -> None:
        # A violation of the Content-Security-Policy appears here too.
        if message.type in {"error", "warning"}:
            self.faults.append(f"console: {message.text}")

    def note_error(self, error: WebError) -> None:
        self.faults.append(str(error.error))

    def note_dialog(self, dialog: Dialog) -> None:
        if dialog.type == "beforeunload" and self.leave is not None:
            self.asked += 1
            if self.leave:
                dialog.accept()
            else:
                dialog.dismiss()
            return
        self.faults.append(f"a dialog came up: {dialog.message}")
        dialog.dismiss()


class Answering:
    """The threads of the site that have begun to answer a request, as long as they do.

    A thread itself goes on after that, for as long as the browser keeps the connection.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._threads: set[int] = set()

    def begin(self, **_signal: object) -> None:
        with self._changed:
            # A test's own requests, without a browser, are answered in its own thread.
            self._threads.update({threading.get_ident()} - {threading.main_thread().ident})

    def end(self, **_signal: object) -> None:
        with self._changed:
            self._threads.discard(threading.get_ident())
            self._changed.notify_all()

    def wait_for_the_last(self) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: not self._threads, timeout=30)


@pytest.fixture
def answering() -> Iterator[Answering]:
    counted = Answering()
    request_started.connect(counted.begin)
    request_finished.connect(counted.end)
    yield counted
    request_started.disconnect(counted.begin)
    request_finished.disconnect(counted.end)


@pytest.fixture(scope="package")
def idle(browser: Browser) -> dict[bool, list[Page]]:
    """Windows that earlier tests are done with, by whether they run scripts: opening them is slow."""
    return {True: [], False: []}


@pytest.fixture
def visit(
    browser: Browser, idle: dict[bool, list[Page]], live_server: LiveServer, answering: Answering
) -> Iterator[Callable[..., Visit]]:
    """Open a window: `visit(width=…, dark=…)`. At the end none of them may have had a fault.

    One that is the test's `own` is new, and thrown away: for what stays in windows, as clocks, scripts and storage do.
    """
    visits: list[tuple[Visit, list[Page] | None]] = []

    def open_window(*, width: int = 1400, dark: bool = False, scripts: bool = True, own: bool = False) -> Visit:
        shelf = None if own else idle[scripts]
        page = shelf.pop() if shelf else browser.new_context(java_script_enabled=scripts, locale="en-US").new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if dark else "light")
        opened = Visit(page.context, page, live_server.url)
        opened.listen()
        visits.append((opened, shelf))
        return opened

    yield open_window
    for opened, shelf in visits:
        if shelf is None:
            opened.context.close()
        else:
            opened.forget()
            shelf.append(opened.page)
    # Their requests may be at work still, on the database that is emptied next.
    answering.wait_for_the_last()
    assert [fault for opened, _shelf in visits for fault in opened.faults] == []


@pytest.fixture
@once
def version(transactional_db: None, alice: User) -> Version:
    return define(title="Popular emoji", description="These reports are simulated.", normalization="emoji",
                  dictionary=list(EMOJI))  # fmt: skip


def reports(version: Version, count: int) -> bytes:
    """An upload with `count` reports for each locale."""
    elements = tuple(normalize("emoji", emoji) or "" for emoji in EMOJI)
    documents = [
        document
        for seed, (locale, shares) in enumerate(PROBABILITIES.items())
        for document in Fleet(
            version, Shares(locale, elements, np.array(shares)), np.random.default_rng(seed)
        ).documents(count)
    ]
    return "\n".join(documents).encode()


def receive(body: bytes) -> Batch:
    receipt = ingest(Upload(io.BytesIO(body), "ndjson"), UseCase.objects.all())
    return batch_of(receipt)


@pytest.fixture
@once
def published(version: Version) -> Run:
    receive(reports(version, 1500))
    return aggregate(version)


@pytest.fixture
def batch(published: Run) -> Batch:
    """A batch that came after the run."""
    return receive(reports(published.version, 30))
