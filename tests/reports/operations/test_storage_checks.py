"""Checks of the storage of shards by `check --deploy`."""

import pytest
from django.conf import settings as django_settings
from django.core import checks
from pytest_django import Settings

from tests.reports.buckets import Bucket
from tests.reports.factories import stored_files

pytestmark = pytest.mark.exact


def said() -> list[str]:
    return [error.msg for error in checks.run_checks(tags=["storage"], include_deployment_checks=True)]


def test_a_folder_that_can_be_used_is_left_as_it_was() -> None:
    assert said() == []
    assert not stored_files()


def test_a_bucket_that_can_be_used_is_left_as_it_was(bucket: Bucket) -> None:
    assert said() == []
    assert not bucket.files


def test_what_a_bucket_refuses_is_said_in_its_own_words(bucket: Bucket) -> None:
    bucket.is_away = True
    (words,) = said()
    assert words.startswith("The storage of reports cannot be used: BucketError: An error occurred at http://bucket")


def test_a_backend_that_does_not_exist_is_named(settings: Settings) -> None:
    settings.STORAGES = django_settings.STORAGES | {"shards": {"BACKEND": "reports.storage.Buckets"}}
    (words,) = said()
    assert "reports.storage" in words
    assert "Buckets" in words


def test_it_is_not_looked_at_without_being_asked(bucket: Bucket) -> None:
    bucket.is_away = True
    assert not checks.run_checks(tags=["storage"])
