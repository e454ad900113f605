"""The use case of tests that need no other."""

import pytest

from reports.models import Version
from tests.reports.small_fleet import define
from tests.worlds import once


@pytest.fixture
@once
def version(db: None) -> Version:
    return define()
