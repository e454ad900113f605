"""Sending a document until it is answered: always the same bytes under the same key."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from ..randomness import device_below
from .holding import Observed
from .sampling import Dropped
from .state import Sent
from .transport import Transport

ATTEMPTS: Final = 5


class Sending(Enum):
    """Outcome of sending."""

    ACCEPTED = "the server has accepted it"
    REFUSED = "the server has refused it, and it is dropped"
    UNANSWERED = "no answer came; the same document can be sent again until the day is over (UTC)"
    NOTHING_DUE = "nothing is due yet"
    SENT_TODAY = "today's document has left; the next may leave tomorrow (UTC)"
    CLOCK_BEHIND = "the clock is behind the day of the last sending; nothing is sent until that day"
    NOT_CONFIGURED = Observed.NOT_CONFIGURED.value
    DORMANT = Observed.DORMANT.value


@dataclass(frozen=True)
class Delivery:
    """Outcome of sending, the number of reports in the document, and how many were dropped instead."""

    outcome: Sending
    reports: int = 0
    status: int | None = None
    dropped: Mapping[Dropped, int] = field(default_factory=dict)


def deliver(
    document: Sent, url: str, transport: Transport, sleep: Callable[[float], None], may_send: Callable[[], bool]
) -> Delivery:
    """Post a document, and again where there is no answer, or one that says: later.

    Parameters
    ----------
    document : Sent
        One that is waiting, with its key.
    url : str
        Where to.
    transport, sleep, may_send : callable
        Make a request, wait some seconds, and say before each attempt whether it may still be made.
    """
    body = json.dumps(document.document, separators=(",", ":")).encode()
    headers = {"Content-Type": "application/json", "Idempotency-Key": document.key}
    reports = sum(len(segment["records"]) for segment in document.document["segments"])
    status = None
    for attempt in range(ATTEMPTS):
        if attempt:
            sleep(_back_off(attempt))
        if not may_send():
            break
        try:
            status = transport("POST", url, headers, body).status
        except OSError:
            continue
        if status != 429 and status < 500:
            return Delivery(Sending.ACCEPTED if 200 <= status < 300 else Sending.REFUSED, reports, status)
    return Delivery(Sending.UNANSWERED, reports, status)


def _back_off(attempt: int) -> float:
    """Return how long to wait before an attempt: twice as long as before, and up to as much again at random."""
    longest: float = 2.0**attempt
    return longest / 2 * (1 + device_below(1001) / 1000)
