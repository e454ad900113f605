"""Worlds that are laid down again are as they were built."""

import shutil
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction

from reports.models import Run, UseCase
from tests.conftest import make_user
from tests.reports.factories import shard_folder, stored_files
from tests.reports.small_fleet import aggregate, define, send
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
def built() -> list[None]:
    """As many as were built."""
    return []


@pytest.fixture
def world(built: list[None]) -> Callable[[], Run]:
    @once
    def world() -> Run:
        built.append(None)
        version = define()
        send(version, 300)
        return aggregate(version)

    return world


def everything() -> dict[str, Any]:
    rows = {model._meta.label: sorted(map(repr, model._base_manager.values())) for model in apps.get_models()}
    return {"rows": rows, "files": stored_files()}


def undone(world: Callable[[], Run]) -> dict[str, Any]:
    """Return the content of a world, which ends as a test does."""
    with transaction.atomic():
        assert world().state == Run.State.FINISHED
        found = everything()
        transaction.set_rollback(True)
    shutil.rmtree(shard_folder())
    return found


def test_it_is_as_it_was_built(world: Callable[[], Run], built: list[None]) -> None:
    first = undone(world)
    assert first["files"]
    assert undone(world) == first
    assert len(built) == 1


def test_people_may_come_before_it_or_after(world: Callable[[], Run], built: list[None]) -> None:
    undone(world)
    alice = make_user("alice", "keyboard-owners")
    run = world()
    bob = make_user("bob", "keyboard")
    use_case = run.version.use_case
    assert list(UseCase.objects.filter(owner_group__in=alice.groups.all())) == [use_case]
    assert list(UseCase.objects.filter(viewer_groups__in=bob.groups.all())) == [use_case]
    assert len(built) == 1


def test_what_is_there_already_makes_another_world(world: Callable[[], Run], built: list[None]) -> None:
    undone(world)
    define(slug="other")
    assert world().version.use_case.slug == "fruits"
    assert len(built) == 2


def test_it_goes_on_from_there(world: Callable[[], Run]) -> None:
    """Keys of new rows are free, and files are found."""
    undone(world)
    version = world().version
    send(version, 300, seed=1)
    aggregate(version)
    assert version.runs.count() == 2
