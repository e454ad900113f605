"""The use case of tests of collection."""

import pytest

from reports.models import Version
from tests.reports.factories import make_version


@pytest.fixture
def version(db: None) -> Version:
    return make_version()
