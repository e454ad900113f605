"""A site as a device reaches it: which rounds are open, and sealed messages to its relay.

Requests say nothing about the device: no cookie, no agent, and what is sent again is the same bytes.
"""

import base64
import http.client
import json
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, urlsplit

from .refusals import RoleError
from .rounds import Statements

_SECONDS: Final = 60
_MOST_BYTES: Final = 2**26
_THIS_MACHINE: Final = ("localhost", "127.0.0.1", "::1")
_AGAIN: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE)
_PAUSES: Final = (1.0, 5.0, 25.0)
"""Seconds between tries, where the site, or the process that it relays to, does not answer."""


@dataclass(frozen=True)
class OpenRound:
    """A round as the site announces it; a device believes nothing of it but what is signed in the statements."""

    purpose: str
    number: int
    statements: Statements


class Site:
    """A training task at a site.

    Parameters
    ----------
    address : str
        ``https://…``, or ``http://…`` on this machine alone.
    slug : str
        Of the task.

    Raises
    ------
    RoleError
        If the address cannot be used.
    """

    def __init__(self, address: str, slug: str) -> None:
        parts = urlsplit(address)
        is_here = parts.scheme == "http" and parts.hostname in _THIS_MACHINE
        if not parts.hostname or not (parts.scheme == "https" or is_here):
            raise RoleError("A site's address begins with https:// (or with http:// on this machine).")
        self._is_plain, self._host, self._port = is_here, parts.hostname, parts.port
        self._path = f"{parts.path.rstrip('/')}/api/v1/training-tasks/{quote(slug, safe='')}/"

    def open_rounds(self) -> list[OpenRound]:
        """Return the rounds that are open. Raises a RoleError if the site knows no such task, or an OSError."""
        try:
            said = json.loads(self._ask("GET", "open-rounds/"))
            return [
                OpenRound(
                    each["purpose"],
                    each["round"],
                    Statements(**{role: base64.b64decode(signed) for role, signed in each["statements"].items()}),
                )
                for each in said["rounds"]
            ]
        except (ValueError, TypeError, KeyError):
            raise RoleError("The site does not say which rounds are open.") from None

    def ask_rows(self, message: bytes) -> bytes:
        """Carry a sealed request to the distributor, and its sealed answer back."""
        return self._ask("POST", "rows/", message)

    def contribute(self, message: bytes) -> None:
        """Send a sealed contribution. Raises a RoleError, with the site's reason, if it was not carried."""
        self._ask("POST", "contributions/", message)

    def _ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        for pause in _PAUSES:
            try:
                status, answer = self._once(method, path, body)
            except OSError:
                status, answer = HTTPStatus.SERVICE_UNAVAILABLE, b""
            if status not in _AGAIN:
                break
            time.sleep(pause)
        else:
            status, answer = self._once(method, path, body)
        if status >= HTTPStatus.BAD_REQUEST:
            raise RoleError(_detail(answer) or f"The site answered {status}.")
        return answer

    def _once(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        kind = http.client.HTTPConnection if self._is_plain else http.client.HTTPSConnection
        connection = kind(self._host, self._port, timeout=_SECONDS)
        try:
            headers = {} if body is None else {"Content-Type": "application/octet-stream"}
            connection.request(method, self._path + path, body, headers)
            response = connection.getresponse()
            answer = response.read(_MOST_BYTES + 1)
        except http.client.HTTPException as error:
            raise ConnectionError(f"{self._host} does not speak HTTP as it should: {type(error).__name__}") from None
        finally:
            connection.close()
        if len(answer) > _MOST_BYTES or response.length:
            raise ConnectionError(f"{self._host} answered too much, or broke off.")
        return response.status, answer


def _detail(answer: bytes) -> str:
    try:
        said: Any = json.loads(answer)
        return str(said["detail"])
    except (ValueError, TypeError, KeyError):
        return ""
