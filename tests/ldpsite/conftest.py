"""A web server for all tests that leave it as it was."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.web_server import WebServer


@contextmanager
def closing_server(server: WebServer) -> Iterator[WebServer]:
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.kill()


@pytest.fixture(scope="package")
def kept_server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """Start it once: that is slow."""
    with closing_server(WebServer(tmp_path_factory.mktemp("kept"))) as server:
        yield server
