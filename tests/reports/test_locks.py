"""Locks of the database are taken in one order, whatever numbers stand for them."""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from reports.locks import Lock, lock_until_commit

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.mark.parametrize("keys", [{2**31, 1}, {2**31, 1, 0, 2**31 + 1}])
def test_the_order_is_that_of_what_is_locked(keys: set[int]) -> None:
    """Keys above 2³¹ share locks with others; in the order of the keys, two could wait for each other for ever."""
    with transaction.atomic(), CaptureQueriesContext(connection) as statements:
        lock_until_commit(Lock.UPLOADS, keys)
    (statement,) = statements.captured_queries
    # An array is read from its beginning.
    assert f"FROM unnest('{{{Lock.UPLOADS.value},{Lock.UPLOADS.value}}}'::int4[]::int[], '{{0,1}}'" in statement["sql"]
