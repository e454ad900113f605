"""A real Chromium, and a page that must stay on the site and be quiet about it."""

import io
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)
from pytest_django.live_server_helper import LiveServer

from aggregation.normalization import normalize
from reports.ingest import Upload, ingest
from reports.models import Batch, Run, UseCase, Version
from reports.simulation import Fleet, Shares
from tests.browser.typed_words import define_search, simulated
from tests.reports.factories import batch_of
from tests.reports.small_fleet import aggregate, days_ago, define
from tests.worlds import once

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
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
        pytest.skip(f"none of {', '.join(NAMES)} is installed (Debian: chromium)")
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

    def log_in(self, name: str) -> None:
        self.page.goto(f"{self.site}/")
        self.page.fill("#id_username", name)
        self.page.fill("#id_password", "password")
        follow(self.page.locator("main button[type=submit]"))
        assert self.page.url == f"{self.site}/"

    def note_request(self, request: Request) -> None:
        if not request.url.startswith((self.site, "data:", f"blob:{self.site}")):
            self.faults.append(f"a request left the site: {request.url}")

    def note_console(self, message: ConsoleMessage) -> None:
        # A violation of the Content-Security-Policy appears here too.
        if message.type in {"error", "warning"}:
            self.faults.append(f"console: {message.text}")

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


@pytest.fixture
def visit(browser: Browser, live_server: LiveServer) -> Iterator[Callable[..., Visit]]:
    """Open a window: `visit(width=…, dark=…)`. At the end none of them may have had a fault."""
    visits: list[Visit] = []

    def open_window(*, width: int = 1400, dark: bool = False, scripts: bool = True) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
            locale="en-US",
        )
        opened = Visit(context, context.new_page(), live_server.url)
        context.on("request", opened.note_request)
        context.on("console", opened.note_console)
        context.on("dialog", opened.note_dialog)
        context.on("weberror", lambda error: opened.faults.append(str(error.error)))
        visits.append(opened)
        return opened

    yield open_window
    for opened in visits:
        opened.context.close()
    # What they asked for may be at work still, on the database that is emptied next.
    for thread in threading.enumerate():
        if "process_request_thread" in thread.name:
            thread.join(timeout=30)
    assert [fault for opened in visits for fault in opened.faults] == []


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


@pytest.fixture
def search(transactional_db: None, alice: User, tmp_path: Path) -> Version:
    """A use case that finds words."""
    return define_search(tmp_path)


@pytest.fixture
def searched(search: Version, tmp_path: Path) -> Run:
    """A run that found the words of a day."""
    call_command("ingest", simulated(tmp_path), day=days_ago(2))
    return aggregate(search)
