"""A use case with something to see, and clients that are logged in."""

import pytest
from django.contrib.auth.models import User

from reports.models import Run, Version
from reports.words import Decided, decide
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, send
from tests.reports.web.pages.words.page import FOUND
from tests.worlds import once


@pytest.fixture
@once
def published(version: Version) -> Run:
    """Two days of one locale, aggregated."""
    send(version, 300, day=days_ago(2), seed=2)
    send(version, 500, day=days_ago(1), seed=1)
    return aggregate(version)


@pytest.fixture
@once
def search(db: None) -> Version:
    return define_search()


@pytest.fixture
@once
def found(search: Version) -> Version:
    find(search, FOUND)
    return search


@pytest.fixture
@once
def sorted_words(found: Version, alice: User) -> Version:
    decisions = [
        Decided("yeet", "accepted", "slang-words", "everybody <i>says</i> it"),
        Decided("rizz", "rejected", "", "no word"),
        Decided("lov", "truncated"),
        Decided("selfie", "foreign"),
    ]
    decide(alice, found.use_case, "en_US", decisions)
    return found
