"""Signed webhooks: JSON posted to allowed hosts only, whose answers are not read but for their status.

The list of hosts is the operator's. Names are resolved when sending, by whatever resolver the machine has: hosts on the
list are trusted with that.
"""

import contextlib
import hashlib
import hmac
import http.client
import socket
import ssl
import threading
import uuid
from time import time
from typing import Final, NamedTuple
from urllib.parse import quote, urlsplit

from django.conf import settings

from reports.notifications.delivery_problems import NotSent

SECONDS: Final = 10.0
SIGNATURE: Final = "X-LDPSITE-Signature"
TIMESTAMP: Final = "X-LDPSITE-Timestamp"
_PORTS: Final = {"https": 443, "http": 80}


class Origin(NamedTuple):
    scheme: str
    host: str
    port: int


def origin_of(address: str) -> Origin | None:
    """Return the origin of an address; None if it is no plain HTTP address or contains a login."""
    try:
        parts = urlsplit(address)
        scheme, host, port = parts.scheme, parts.hostname, parts.port
    except ValueError:
        return None
    if scheme not in _PORTS or not host or parts.username is not None or parts.password is not None:
        return None
    return Origin(scheme, host, port or _PORTS[scheme])


def allowed_origins() -> set[Origin]:
    """Return the origins that webhooks may go to: entries without a scheme mean HTTPS only."""
    entries = (entry if "://" in entry else f"https://{entry}" for entry in settings.LDPSITE_WEBHOOK_HOSTS)
    return {origin for entry in entries if (origin := origin_of(entry)) is not None}


def is_allowed(address: str) -> bool:
    return origin_of(address) in allowed_origins()


def secret_of(subscription: uuid.UUID) -> str:
    """Derive the secret with which a receiver checks the signature of a subscription's messages. It is never stored."""
    key = hashlib.sha256(b"ldpsite webhook\0" + settings.SECRET_KEY.encode()).digest()
    return hmac.digest(key, subscription.bytes, "sha256").hex()


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Sign the body and when it was sent, so that a message that was overheard is of no use later."""
    return f"sha256={hmac.digest(secret.encode(), timestamp.encode() + b'.' + body, 'sha256').hex()}"


def post(address: str, body: bytes, secret: str) -> None:
    """Post a JSON document. Raises `NotSent` unless the answer's status says that it was taken.

    Redirects are not followed, the answer's body is not read, and all of it takes no longer than `SECONDS`: looking up
    the name, connecting, agreeing on a key, sending and waiting for the answer together.
    """
    origin = origin_of(address)
    if origin is None or origin not in allowed_origins():
        raise NotSent("host_not_allowed")
    timestamp = str(int(time()))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "ldpsite",
        "Connection": "close",
        TIMESTAMP: timestamp,
        SIGNATURE: signature(secret, timestamp, body),
    }
    exchange = _Exchange(origin, _target(address), body, headers)
    exchange.start()
    exchange.join(SECONDS)
    if exchange.is_alive():
        raise NotSent("too_slow", left=exchange.abort())
    if exchange.problem:
        raise NotSent(exchange.problem, left=exchange.left)
    if 300 <= exchange.status < 400:
        raise NotSent("redirected", left=True)
    if not 200 <= exchange.status < 300:
        raise NotSent("refused", left=True)


class _Exchange(threading.Thread):
    """A request and the status of its answer, in a thread that can be left behind.

    Resolvers take no time limit, and that of a socket starts anew with every address and every byte.
    """

    def __init__(self, origin: Origin, target: str, body: bytes, headers: dict[str, str]) -> None:
        super().__init__(daemon=True)
        make = http.client.HTTPConnection if origin.scheme == "http" else _TLSConnection
        self._connection = make(origin.host, origin.port, timeout=SECONDS)
        self._request = ("POST", target, body, headers)
        # Taken by the first of two: the request, or its end before anything was sent.
        self._sending = threading.Lock()
        self.left = False
        self.status = 0
        self.problem = ""

    def run(self) -> None:
        with contextlib.closing(self._connection) as connection:
            try:
                connection.connect()
                if self._sending.acquire(blocking=False):
                    self.left = True
                    connection.request(*self._request)
                    self.status = connection.getresponse().status
            except TimeoutError:
                self.problem = "too_slow"
            except (OSError, ValueError, http.client.HTTPException):  # a name may be malformed, too
                self.problem = "not_reached"

    def abort(self) -> bool:
        """End it. Returns whether the request may have left: it does not any more."""
        left = not self._sending.acquire(blocking=False)
        if self._connection.sock is not None:
            with contextlib.suppress(OSError):  # it is closed already
                # The connection below TLS, which is in the middle of reading.
                socket.socket.shutdown(self._connection.sock, socket.SHUT_RDWR)
        return left


class _TLSConnection(http.client.HTTPConnection):
    """HTTPS, with a socket that is known during the handshake, so that it can be shut down."""

    default_port = http.client.HTTPS_PORT

    def connect(self) -> None:
        super().connect()
        context = ssl.create_default_context()
        sock = context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock = sock
        sock.do_handshake()


def _target(address: str) -> str:
    parts = urlsplit(address)
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~")
    return f"{path}?{quote(parts.query, safe='/%:@!$&()*+,;=~?')}" if parts.query else path
