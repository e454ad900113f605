"""The use case of tests that need no other, and a look at locks."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from reports.models import Version
from tests.reports.small_fleet import define
from tests.workers import test_database_url as database_url
from tests.worlds import once


@pytest.fixture
@once
def version(db: None) -> Version:
    return define()


@pytest.fixture
def observer(transactional_db: None) -> Iterator[psycopg.Connection[Any]]:
    """A connection beside those of the test, which sees who waits for a lock."""
    with psycopg.connect(database_url(), autocommit=True) as observing:
        yield observing
