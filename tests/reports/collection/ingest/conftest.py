from pathlib import Path

import pytest

from reports.collection.ingest import store


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def screened() -> None:
    """Leave screening on, for tests of suspicious batches."""


@pytest.fixture(autouse=True)
def _unscreened(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere here, records are written by hand or sent several times, which no honest devices do."""
    if "screened" not in request.fixturenames:
        monkeypatch.setattr(store, "suspicions", lambda _shards, _content: [])
