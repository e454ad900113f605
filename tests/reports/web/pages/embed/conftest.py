"""Sites that may show embedded pages in frames."""

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def _origins(settings: Settings) -> None:
    settings.LDPSITE_EMBED_ORIGINS = ["https://wiki.example.org", "https://*.example.com"]
