"""Errors: what the site answers in place of what was asked for, in its own words."""

from typing import Any

import httpx

_PROBLEM = "urn:ldpsite:problem:"


class SiteError(Exception):
    """Answer that is a problem; its text is the site's sentence.

    `status` is that of HTTP. `name` is the problem's stable name, such as "bad-parameter", or empty if the answer did
    not come from the API. `document` is all that was answered.
    """

    def __init__(self, status: int, name: str, detail: str, document: dict[str, Any]) -> None:
        super().__init__(detail)
        self.status = status
        self.name = name
        self.document = document


class NothingShown(SiteError):
    """There is nothing to show yet; `state` says why, as in "not-yet"."""

    @property
    def state(self) -> str:
        return str(self.document["state"])


class Unavailable(SiteError):
    """The site cannot answer now. `retry_after` is the number of seconds to wait, if it said so."""

    retry_after: int | None = None


def error_of(response: httpx.Response) -> SiteError:
    """Return the error that an answer is."""
    document = _problem(response)
    name = str(document.get("type", "")).removeprefix(_PROBLEM)
    detail = str(document.get("detail") or _without_words(response))
    if "state" in document:
        return NothingShown(response.status_code, name, detail, document)
    if response.status_code in (429, 503):
        error = Unavailable(response.status_code, name, detail, document)
        wait = response.headers.get("Retry-After", "")
        error.retry_after = int(wait) if wait.isdecimal() else None
        return error
    return SiteError(response.status_code, name, detail, document)


def _problem(response: httpx.Response) -> dict[str, Any]:
    if not response.headers.get("Content-Type", "").startswith("application/problem+json"):
        return {}
    document = response.json()
    return document if isinstance(document, dict) else {}


def _without_words(response: httpx.Response) -> str:
    target = f", and leads to {response.headers['Location']}" if response.has_redirect_location else ""
    return f"{response.request.url} answers {response.status_code} {response.reason_phrase}{target}."
