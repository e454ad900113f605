"""How many uploads a process checks at a time: the other threads stay for pages."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.utils.translation import gettext as _

from reports.ingest.problems import Refusal, UploadRefused

# Until then one of those under way may be done; asking costs little.
RETRY_SECONDS = 10

_lock = threading.Lock()
_taken = 0


@contextmanager
def place() -> Iterator[None]:
    """Hold one of the places for uploads, from before the body is read. Raises `UploadRefused` if none is free."""
    global _taken  # noqa: PLW0603 (of the process, as its threads are)
    with _lock:
        if _taken >= settings.LDPSITE_UPLOADS_AT_ONCE:
            raise UploadRefused(
                Refusal.BUSY,
                _("Other uploads are being checked. Send this one again in a moment."),
                retry_after=RETRY_SECONDS,
            )
        _taken += 1
    try:
        yield
    finally:
        with _lock:
            _taken -= 1
