"""Two locales that are compared."""

import pytest

from reports.models import Version
from tests.reports.comparing import counted_locales


@pytest.fixture
def both(db: None) -> Version:
    return counted_locales()
