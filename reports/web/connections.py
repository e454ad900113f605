"""Connections that ended before they were answered."""

import select
from collections.abc import Callable

from django.http import HttpRequest

# The other side has closed its half. Linux tells even while bytes from before wait to be read; elsewhere only what has
# been closed altogether is found.
_CLOSED: int = getattr(select, "POLLRDHUP", 0)


def sender_left(request: HttpRequest) -> Callable[[], bool]:
    """Return a function that tells whether the sender has closed the connection; False where no socket is known."""
    connection = request.META.get("gunicorn.socket")
    if connection is None:
        return lambda: False
    poll = select.poll()
    poll.register(connection, _CLOSED)
    return lambda: bool(poll.poll(0))
