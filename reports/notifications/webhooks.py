"""Posting JSON to an address that somebody typed: to allowed hosts only, signed, and deaf to what comes back.

The list of hosts is the operator's. Names are resolved when sending, by whatever resolver the machine has: who is on
the list is trusted with that.
"""

import contextlib
import hashlib
import hmac
import http.client
import socket
import ssl
import threading
import uuid
from collections.abc import Iterable
from time import monotonic, time
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import quote, urlsplit

from django.conf import settings

from reports.notifications.delivery_problems import NotSent

SECONDS: Final = 10.0
SIGNATURE: Final = "X-LDPSITE-Signature"
TIMESTAMP: Final = "X-LDPSITE-Timestamp"
# As `socket.getaddrinfo` tells it: family, kind, protocol, name and address.
Resolved: TypeAlias = tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[Any, ...]]
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
    deadline = monotonic() + SECONDS
    with _connect(_resolve(origin, deadline), deadline) as connected:
        status = _exchange(connected, origin, deadline, address, body, secret)
    if 300 <= status < 400:
        raise NotSent("redirected", left=True)
    if not 200 <= status < 300:
        raise NotSent("refused", left=True)


def _resolve(origin: Origin, deadline: float) -> list[Resolved]:
    """Resolve a host in a thread of its own: resolvers take no time limit, and a slow one is left to end by itself."""
    found: list[Resolved] = []

    def resolve() -> None:
        # Names may be malformed, too.
        with contextlib.suppress(OSError, UnicodeError):
            found.extend(socket.getaddrinfo(origin.host, origin.port, type=socket.SOCK_STREAM))

    thread = threading.Thread(target=resolve, daemon=True)
    thread.start()
    thread.join(_left(deadline))
    if thread.is_alive():
        raise NotSent("too_slow")
    return found


def _connect(found: Iterable[Resolved], deadline: float) -> socket.socket:
    """Connect to the first address that answers; they share one time limit."""
    problem = NotSent("not_reached")
    for family, kind, protocol, _name, place in found:
        try:
            sock = socket.socket(family, kind, protocol)
        except OSError:  # this machine has no such addresses
            continue
        try:
            sock.settimeout(_left(deadline))
            sock.connect(place)
        except TimeoutError:
            problem = NotSent("too_slow")
        except OSError:
            pass
        else:
            return sock
        sock.close()
    raise problem


def _left(deadline: float) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _exchange(connected: socket.socket, origin: Origin, deadline: float, address: str, body: bytes, secret: str) -> int:
    """Send, and read the status."""
    timestamp = str(int(time()))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "ldpsite",
        "Connection": "close",
        TIMESTAMP: timestamp,
        SIGNATURE: signature(secret, timestamp, body),
    }
    try:
        connection, sock = _connection(origin, connected)
    except (OSError, ValueError) as error:  # hung up already, or a name that no certificate can have
        raise NotSent("not_reached") from error
    left = False
    late = threading.Event()
    # The timeout of a socket starts anew with every byte; this one does not.
    alarm = threading.Timer(max(0.0, deadline - monotonic()), _hang_up, (sock, late))
    alarm.daemon = True
    alarm.start()
    try:
        if isinstance(sock, ssl.SSLSocket):
            sock.do_handshake()
        left = True
        connection.request("POST", _target(address), body, headers)
        status = connection.getresponse().status
    except TimeoutError as error:
        raise NotSent("too_slow", left=left) from error
    except (OSError, http.client.HTTPException) as error:
        raise NotSent("too_slow" if late.is_set() else "not_reached", left=left) from error
    finally:
        alarm.cancel()
        connection.close()
    if late.is_set():  # headers that were cut off are headers all the same
        raise NotSent("too_slow", left=True)
    return status


def _connection(origin: Origin, sock: socket.socket) -> tuple[http.client.HTTPConnection, socket.socket]:
    """A connection over a socket that is connected; with HTTPS before the handshake, which may take long."""
    if origin.scheme == "http":
        connection = http.client.HTTPConnection(origin.host, origin.port)
    else:
        connection = http.client.HTTPSConnection(origin.host, origin.port)
        context = ssl.create_default_context()
        sock = context.wrap_socket(sock, server_hostname=origin.host, do_handshake_on_connect=False)
    connection.sock = sock
    return connection, sock


def _hang_up(sock: socket.socket, late: threading.Event) -> None:
    late.set()
    with contextlib.suppress(OSError):  # it is closed already
        # Of the connection below TLS, which is in the middle of reading.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


def _target(address: str) -> str:
    parts = urlsplit(address)
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~")
    return f"{path}?{quote(parts.query, safe='/%:@!$&()*+,;=~?')}" if parts.query else path
