"""Limit on the uploads a process checks at a time, which leaves the other threads to pages."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.utils.translation import gettext as _

from reports.access import Person
from reports.collection.ingest.problems import Refusal, UploadRefused
from reports.models import ApiToken

# Until then one of those under way may be done; asking costs little.
RETRY_SECONDS = 10

_lock = threading.Lock()
# By sender: whether it is a token, and which. In memory alone, for as long as an upload takes.
_taken: Counter[tuple[bool, object]] = Counter()


@contextmanager
def upload_slot(person: Person) -> Iterator[None]:
    """Hold one of the slots for uploads, from before the body is read. Raises `UploadRefused` if none is free.

    A slot is held for as long as the body takes to come: so one sender gets at most half of them.
    """
    sender = (isinstance(person, ApiToken), person.pk)
    with _lock:
        most = settings.LDPSITE_UPLOADS_AT_ONCE
        if _taken.total() >= most or _taken[sender] >= max(1, most // 2):
            raise UploadRefused(
                Refusal.BUSY,
                _("Other uploads are being checked. Send this one again in a moment."),
                retry_after=RETRY_SECONDS,
            )
        _taken[sender] += 1
    try:
        yield
    finally:
        with _lock:
            _taken[sender] -= 1
            if not _taken[sender]:
                del _taken[sender]
