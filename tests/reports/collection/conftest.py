"""Fixtures of tests of races on several connections."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.workers import test_database_url as database_url


@pytest.fixture
def observer(transactional_db: None) -> Iterator[psycopg.Connection[Any]]:
    """A connection beside those of the test, which sees who waits for a lock."""
    with psycopg.connect(database_url(), autocommit=True) as observing:
        yield observing
