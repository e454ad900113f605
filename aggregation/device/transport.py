"""Requests that say nothing about the device: no cookie, no agent, no redirect that could carry a mark."""

import http.client
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from .errors import DeviceError

REPORTS: Final = "/api/v1/reports/"
CONFIGURATION: Final = "/api/v1/device-configuration/"

_SECONDS: Final = 30
_LARGEST_ANSWER: Final = 4 * 2**20
_THIS_MACHINE: Final = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes


# Method, address, headers and body to an answer, or an OSError if there is none.
Transport = Callable[[str, str, Mapping[str, str], bytes | None], Answer]


def address(server: str, path: str) -> str:
    """Return the address of something on a server, which is given by its address or by that of the thing itself.

    Raises a DeviceError unless it can be reached by https, or on this machine by http.
    """
    try:
        parts = urlsplit(server)
        host, _port = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or not server.isascii() or any(character.isspace() for character in server):
        raise DeviceError("The server's address cannot be used. Write it like https://reports.example.org")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _THIS_MACHINE):
        raise DeviceError("The server's address must begin with https:// (or http:// on this machine only).")
    if parts.query or parts.fragment or parts.username is not None:
        raise DeviceError("The server's address must have no name, question mark or #, which could mark this device.")
    return server.removesuffix(path).rstrip("/") + path


def request(method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
    """Ask once, with no header beyond those given and what HTTP itself needs, and follow nothing.

    Raises an OSError if no complete answer comes.
    """
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=_SECONDS)
    try:
        connection.request(method, parts.path, body, dict(headers))
        response = connection.getresponse()
        answer = Answer(response.status, response.read(_LARGEST_ANSWER + 1))
        missing = response.length  # of what was announced; None if nothing was
    except http.client.HTTPException as error:
        raise ConnectionError(f"{parts.hostname} does not speak HTTP as it should: {type(error).__name__}") from None
    finally:
        connection.close()
    if len(answer.body) > _LARGEST_ANSWER:
        raise ConnectionError(f"{parts.hostname} answered more than {_LARGEST_ANSWER} bytes")
    if missing:
        raise ConnectionError(f"{parts.hostname} broke off in the middle of its answer")
    return answer
