from pathlib import Path

import pytest

from reports.models import Version
from tests.reports.factories import make_version


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def version(db: None) -> Version:
    return make_version()
