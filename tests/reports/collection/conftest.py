"""Fixtures of tests of collection."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from reports.models import Version
from tests.reports.factories import make_version
from tests.workers import test_database_url as database_url


@pytest.fixture
def version(db: None) -> Version:
    return make_version()


@pytest.fixture
def observer(transactional_db: None) -> Iterator[psycopg.Connection[Any]]:
    """A connection beside those of the test, which sees who waits for a lock."""
    with psycopg.connect(database_url(), autocommit=True) as observing:
        yield observing
