"""People with the staff status, a client for each, and something for them to look after."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.definitions import draft_from
from reports.models import Version
from tests.conftest import logged_in, make_user
from tests.worlds import once


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


@pytest.fixture
@once
def draft(version: Version) -> Version:
    return draft_from(version)
