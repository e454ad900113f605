"""Trusted roles for tests of training."""

from pathlib import Path

import pytest
from pytest_django import Settings

from tests.reports.training_devices import Trusted, known_to_the_site


@pytest.fixture
def trusted(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Trusted:
    return known_to_the_site(tmp_path, settings, monkeypatch)
