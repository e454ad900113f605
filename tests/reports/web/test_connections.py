import socket

import pytest
from django.test import RequestFactory

from reports.web.connections import sender_left

pytestmark = pytest.mark.exact


def test_who_closes_the_connection_has_left_although_bytes_wait() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        left = sender_left(RequestFactory().post("/", **{"gunicorn.socket": ours}))  # type: ignore[arg-type]
        assert not left()
        theirs.sendall(b"x")
        assert not left()
        theirs.close()
        assert left()
        assert ours.recv(2) == b"x"


def test_where_the_server_hands_in_no_connection_nobody_has_left() -> None:
    assert not sender_left(RequestFactory().post("/"))()
