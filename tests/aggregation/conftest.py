"""The library knows no Django: its tests have no files and no caches of a site to be kept apart."""

import pytest


@pytest.fixture(autouse=True)
def isolated_files() -> None:
    pass


@pytest.fixture(autouse=True)
def _as_in_a_new_process() -> None:
    pass
