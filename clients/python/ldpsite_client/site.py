"""A site, asked over HTTP."""

import os
import uuid
from collections.abc import Iterator
from datetime import date
from types import TracebackType
from typing import Any, Self

import httpx

from ldpsite_client.errors import error_of
from ldpsite_client.results import SiteChanges
from ldpsite_client.training import TrainingTask
from ldpsite_client.uploads import Receipt, Source, body_of, receipt_of
from ldpsite_client.use_case import Day, UseCase

# Parameters that are not called as the API calls them.
_NAMES = {"first": "from", "last": "to", "search": "q"}
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})
# Answers that are kept, to be asked for only if they have changed.
_MOST_KEPT = 32


class Site:
    """Site at an address, asked with an API token: the one given, or that of the environment variable LDPSITE_TOKEN.

    Errors of the network are those of httpx; what the site answers in place of a result is a `SiteError`. Raises
    ValueError for an address to which the token would travel unencrypted.
    """

    def __init__(
        self, url: str, token: str | None = None, *, timeout: float = 60, transport: httpx.BaseTransport | None = None
    ) -> None:
        address = httpx.URL(url)
        if address.scheme != "https" and address.host not in _THIS_MACHINE:
            raise ValueError(f"{url}: the token would travel unencrypted. Write https://…")
        token = os.environ.get("LDPSITE_TOKEN") if token is None else token
        if not token:
            raise ValueError("Give an API token, or set the environment variable LDPSITE_TOKEN.")
        self.url = str(address)
        self._http = httpx.Client(
            base_url=f"{self.url.rstrip('/')}/api/v1/",
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json, application/problem+json"},
            timeout=timeout,
            transport=transport,
        )
        # By address: entity tag and document.
        self._kept: dict[str, tuple[str, dict[str, Any]]] = {}

    def __repr__(self) -> str:
        return f"Site({self.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def use_cases(self) -> list[UseCase]:
        """Return the use cases that the token may read."""
        return [
            UseCase(self, each["use_case"], each["title"], each["description"], each["state"])
            for each in self.entries("use-cases/")
        ]

    def use_case(self, slug: str) -> UseCase:
        """Return a use case by its identifier, without asking whether there is such a one."""
        return UseCase(self, slug)

    def changes(self) -> SiteChanges:
        """Return what changed clearly in the newest week, in all use cases that the token may read."""
        return SiteChanges(self.read("changes/"))

    def training_tasks(self) -> list[TrainingTask]:
        """Return the training tasks that the token names."""
        return [
            TrainingTask(self, each["task"], each["title"], each["description"])
            for each in self.entries("training-tasks/")
        ]

    def training_task(self, slug: str) -> TrainingTask:
        """Return a training task by its identifier, without asking whether there is such a one."""
        return TrainingTask(self, slug)

    def upload(self, source: Source, *, day: Day = None, strict: bool = False, key: str | None = None) -> Receipt:
        """Upload documents of the report format: as bytes (NDJSON), by the path of a file, or to be written as JSON.

        With `strict` all is refused at the first problem. Of one `key` nothing is stored twice: after an error of the
        network send the same with the same key again. Raises `SiteError` if nothing was stored.
        """
        body, headers = body_of(source)
        headers["Idempotency-Key"] = key or str(uuid.uuid4())
        parameters = _written({"day": day, "strict": "true" if strict else None})
        try:
            response = self._http.post("batches/", params=parameters, content=body, headers=headers)
        finally:
            if not isinstance(body, bytes):
                body.close()
        if response.status_code != httpx.codes.ACCEPTED:
            raise error_of(response)
        return receipt_of(response.json())

    def read(self, path: str, **parameters: Any) -> dict[str, Any]:
        """Return a document of the API. What has not changed since it was last read is not sent again.

        Raises `SiteError`.
        """
        request = self._http.build_request("GET", path, params=_written(parameters))
        address = str(request.url)
        if address in self._kept:
            request.headers["If-None-Match"] = self._kept[address][0]
        response = self._http.send(request)
        if response.status_code == httpx.codes.NOT_MODIFIED and address in self._kept:
            return self._kept[address][1]
        if response.status_code != httpx.codes.OK:
            raise error_of(response)
        document: dict[str, Any] = response.json()
        if "ETag" in response.headers:
            self._kept.pop(address, None)
            self._kept[address] = response.headers["ETag"], document
            if len(self._kept) > _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
        return document

    def entries(self, path: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        """Yield the entries of a list of the API, page by page. Raises `SiteError`."""
        page: int | None = None
        while True:
            found = self.read(path, **parameters, page=page)
            yield from found["entries"]
            if found["next"] is None:
                return
            page = (page or 1) + 1


def _written(parameters: dict[str, Any]) -> httpx.QueryParams:
    """Return parameters as the API calls and writes them, without those that are None."""
    given = {_called(name): value for name, value in parameters.items() if value is not None}
    return httpx.QueryParams(
        {name: value.isoformat() if isinstance(value, date) else value for name, value in given.items()}
    )


def _called(name: str) -> str:
    other, own = ("other-", name.removeprefix("other_")) if name.startswith("other_") else ("", name)
    return other + _NAMES.get(own, own)
