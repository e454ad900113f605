"""People who evaluate parameters."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client


@pytest.fixture
def as_bob(bob: User, login: Callable[[User], Client]) -> Client:
    return login(bob)
