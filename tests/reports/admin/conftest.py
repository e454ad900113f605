"""People with the staff status, and a client for each."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.conftest import make_user

LogIn = Callable[[User], Client]


def staff(user: User) -> User:
    user.is_staff = True
    user.save()
    return user


@pytest.fixture
def as_alice(alice: User) -> Client:
    """Owns the use cases of the tests, but for those of the gardeners."""
    return logged_in(staff(alice))


@pytest.fixture
def as_bob(bob: User) -> Client:
    """May look at results."""
    return logged_in(staff(bob))


@pytest.fixture
def as_gardener(db: None) -> Client:
    """Owns another use case."""
    return logged_in(staff(make_user("gardener", "gardeners")))


@pytest.fixture
def as_root(admin_user: User) -> Client:
    return logged_in(admin_user)


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
