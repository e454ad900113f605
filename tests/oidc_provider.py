"""A provider of single sign-on: a process of its own, which people log in to and whose answers are signed."""

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import requests
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

PATIENCE = 30.0


@dataclass(frozen=True)
class Provider:
    address: str

    @property
    def discovery_url(self) -> str:
        return f"{self.address}/.well-known/openid-configuration"

    def know(self, subject: str, **claims: Any) -> None:
        """Give a person these claims, and no others."""
        requests.put(f"{self.address}/users/{subject}", json=claims, timeout=PATIENCE).raise_for_status()

    def answer(self, asked: str, subject: str) -> str:
        """Log a person in there; return where their browser is sent back to."""
        answer = requests.post(asked, data={"sub": subject}, allow_redirects=False, timeout=PATIENCE)
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]


def log_in(client: Client, provider: Provider, subject: str, **query: str) -> Any:
    """Go to the provider and come back, as a browser does; return the site's answer to that."""
    asked = client.get(reverse("oidc_begin"), query)
    assert asked.status_code == 302, asked.content.decode()
    return client.get(re.sub("^http://testserver", "", provider.answer(asked.headers["Location"], subject)))


@contextmanager
def running_provider(*options: str) -> Iterator[Provider]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        found = Provider(f"http://127.0.0.1:{port}")
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                requests.get(found.discovery_url, timeout=PATIENCE).raise_for_status()
                break
            except requests.ConnectionError:
                assert process.poll() is None
                assert time.monotonic() < give_up
                time.sleep(0.05)
        yield found
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="session")
def oidc_process() -> Iterator[Provider]:
    with running_provider("--require-nonce", "true") as found:
        yield found


@pytest.fixture
def provider(oidc_process: Provider, settings: Settings) -> Iterator[Provider]:
    """A provider that the site trusts, with a viewer, an owner, an administrator and a person in no group of ours."""
    from reports.accounts.single_sign_on import oidc  # tests without a provider do not load it

    settings.LDPSITE_OIDC_DISCOVERY_URL = oidc_process.discovery_url
    settings.LDPSITE_OIDC_CLIENT_ID = "ldpsite"
    settings.LDPSITE_OIDC_CLIENT_SECRET = "secret"
    settings.LDPSITE_OIDC_NAME = "Example"
    settings.LDPSITE_SSO_GROUPS = {"there-viewers": ["analysts"], "there-owners": ["growers"]}
    settings.LDPSITE_SSO_STAFF_GROUPS = ["there-owners"]
    settings.LDPSITE_SSO_ADMIN_GROUPS = ["there-admins"]
    settings.AUTHENTICATION_BACKENDS = [
        *settings.AUTHENTICATION_BACKENDS,
        "reports.accounts.single_sign_on.signed_on.SignedOnBackend",
    ]
    oidc._provider.cache_clear()
    oidc_process.know("ada", preferred_username="ada", email="ada@example.org", groups=["there-viewers"])
    oidc_process.know("olga", preferred_username="olga", groups=["there-owners", "else"])
    oidc_process.know("rita", preferred_username="rita", groups=["there-admins"])
    oidc_process.know("nick", preferred_username="nick", groups=["else"])
    yield oidc_process
    oidc._provider.cache_clear()
