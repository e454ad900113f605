"""A use case that is published day by day, subscriptions to it, and a server that takes webhooks."""

import datetime
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from reports.models import Histogram, HistogramEntries, Subscription, UseCase, Version
from reports.notifications import newest_days
from tests.reports.entries import entries_of
from tests.reports.small_fleet import FRUITS
from tests.reports.trends import publish_day


@pytest.fixture
def mail_server(settings: Settings) -> None:
    """One is set up; mails go into `mailoutbox`."""
    settings.EMAIL_HOST = "mail.example.org"
    settings.LDPSITE_ADDRESS = "https://reports.example.org"


def publish(
    version: Version, back: int, elements: Sequence[str], *, locale: str = "en_US", estimate: float = 1000.0
) -> Histogram:
    """A day's period with this histogram, straight into the database: so uncertain that no change in it is clear."""
    histogram = publish_day(version, back, {}, locale=locale, f2=1e15)
    estimates = [estimate - rank for rank in range(1, len(elements) + 1)]
    ends = {"lower": 900.0, "upper": 1100.0, "adjusted_lower": 880.0, "adjusted_upper": 1120.0}
    rows = entries_of(elements, estimates, error=20.0, half=0.0, adjusted=0.0, **ends)
    HistogramEntries.of(histogram, rows).save()
    UseCase.renew_generation(version.use_case_id)
    return histogram


def publish_shares(
    version: Version,
    back: int,
    shares: Sequence[float],
    *,
    n: int = 2000,
    locale: str = "en_US",
    first: datetime.date | None = None,
) -> None:
    """A period of n reports, of which the fruits have these shares, as its support counts say, too."""
    counts = {fruit: share * n for fruit, share in zip(FRUITS, shares, strict=False) if share}
    squares = sum(count * count for count in counts.values())
    publish_day(version, back, counts, n=n, locale=locale, first=first, f2=squares)
    UseCase.renew_generation(version.use_case_id)


def subscribe(owner: User, version: Version, **changes: Any) -> Subscription:
    """To everything, as the form does it: what is published so far is not news."""
    kinds = {"new_words": True, "new_in_top": True, "significant_change": True}
    told = {"told": newest_days(version.use_case)}
    return Subscription.objects.create(owner=owner, use_case=version.use_case, **kinds | told | changes)


# --- A receiver of webhooks ---


@dataclass
class Receiver:
    """A server with the requests that it was sent, and its answers."""

    address: str = ""
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    # Called in place of answering.
    instead: Callable[[BaseHTTPRequestHandler], None] | None = None


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    """A server on this machine, to which webhooks may go."""
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.requests.append((self.path, dict(self.headers.items()), body))
            if found.instead is not None:
                found.instead(self)
                return
            self.send_response(found.status)
            for name, value in found.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(found.body)

        def do_GET(self) -> None:
            found.requests.append((f"GET {self.path}", {}, b""))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_port}"
        found.address = f"{origin}/news?team=a b"
        settings.LDPSITE_WEBHOOK_HOSTS = ["hooks.example.org", origin]
        yield found
        server.shutdown()
