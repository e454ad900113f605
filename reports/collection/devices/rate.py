"""Rate limit on the device documents a process takes in, which identifies no sender."""

import threading
import time

from django.conf import settings

# Seconds of a quiet time that are saved up: devices that come together are not turned away.
BURST_SECONDS = 10


class Bucket:
    """Token bucket: fills with so many tokens a second, up to those of a burst; a document takes one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokens = 0.0
        self._filled_at = -float(BURST_SECONDS)  # before the clock began, so that it starts full

    def take(self, per_second: float) -> float:
        """Take a token; returns 0, or the seconds after which there will be one."""
        with self._lock:
            now = time.monotonic()
            tokens = min(self._tokens + (now - self._filled_at) * per_second, BURST_SECONDS * per_second)
            self._filled_at = now
            taken = tokens >= 1
            self._tokens = tokens - taken
            return 0 if taken else (1 - tokens) / per_second


_bucket = Bucket()


def waiting_time() -> float:
    """Return the seconds that the next document has to wait; 0 if it may come in, which then counts."""
    per_second = settings.LDPSITE_DEVICE_DOCUMENTS_PER_SECOND
    return _bucket.take(per_second) if per_second else 0
