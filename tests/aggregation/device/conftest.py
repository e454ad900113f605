"""A device in a folder of its own."""

from pathlib import Path

import pytest

from tests.aggregation.device.helpers import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Dormant, with a folder that does not exist yet."""
    return Bench(tmp_path / "device")
