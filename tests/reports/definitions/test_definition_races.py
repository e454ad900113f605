"""Two people at the same time: one of them is told in words, and there is one active version."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction

from reports.definitions import (
    Entry,
    activate,
    create_draft,
    discard_draft,
    draft_from,
    revise_dictionary,
)
from reports.models import DictionaryRevision, UseCase, Version
from tests.reports.factories import ALGORITHM, SEED, apply, definition, make_version
from tests.reports.threads import together

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def meeting(*actions: Callable[[], object]) -> list[object]:
    """Let actions run into each other: all wait for the use case, which is then let go. What they return or refuse."""

    def run(action: Callable[[], object]) -> object:
        try:
            return action()
        except ValidationError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(actions)) as threads:
        with transaction.atomic(), connection.cursor() as cursor:
            list(UseCase.objects.select_for_update())
            futures = [threads.submit(run, action) for action in actions]
            for _ in range(200):
                cursor.execute("SELECT pg_stat_clear_snapshot()")  # else it shows the same all through a transaction
                cursor.execute(WAITING)
                if cursor.fetchone()[0] == len(actions):
                    break
                time.sleep(0.05)
            else:
                raise AssertionError("they did not all wait for the use case")
        return [future.result(timeout=30) for future in futures]


def refusals(results: list[object]) -> list[str]:
    return [str(result) for result in results if isinstance(result, ValidationError)]


def active() -> Version:
    return Version.objects.get(state=Version.State.ACTIVE)


def test_of_two_drafts_activated_at_once_one_is_refused() -> None:
    first, second = draft_from(present := make_version()), draft_from(present)
    results = meeting(lambda: activate(first), lambda: activate(second))
    (refusal,) = refusals(results)
    assert f"the active version is {active().number}, and was 1 when you began" in refusal
    assert sorted(Version.objects.values_list("state", flat=True)) == ["active", "draft", "superseded"]


def test_a_draft_is_either_activated_or_discarded() -> None:
    draft = draft_from(make_version())
    (refusal,) = refusals(meeting(lambda: activate(draft), lambda: discard_draft(draft)))
    assert "Version 2" in refusal
    assert Version.objects.filter(state="active").count() == 1


def test_activation_against_a_file() -> None:
    draft = draft_from(make_version())
    changed = definition(parameters={"epsilon": 2, "k": 64, "m": 64})
    told = refusals(meeting(lambda: activate(draft), lambda: apply(changed)))
    # The file says what is active in the end, whichever came first.
    assert active().parameters["epsilon"] == 2
    assert all("the active version is 3" in refusal for refusal in told)
    assert len(told) == (Version.objects.get(number=2).state == "draft")


def test_two_files_at_once_make_one_version() -> None:
    make_version()
    changed = definition(parameters={"epsilon": 2, "k": 64, "m": 64, "seed": SEED}, dictionary=["😂"])
    assert refusals(meeting(lambda: apply(changed), lambda: apply(changed))) == []
    assert Version.objects.count() == 2
    assert active().parameters["epsilon"] == 2


def test_the_same_new_use_cases_from_two_files() -> None:
    items = [definition(slug=slug, budget_group=f"group-{slug}") for slug in ("c", "a", "b")]
    both = [items, items[::-1]]
    together(2, lambda: apply(*both.pop()))
    assert list(UseCase.objects.order_by("slug").values_list("slug", flat=True)) == ["a", "b", "c"]
    assert Version.objects.count() == 3


def test_drafts_and_revisions_have_numbers_of_their_own() -> None:
    present = make_version()
    together(4, lambda: draft_from(present))
    assert sorted(Version.objects.values_list("number", flat=True)) == [1, 2, 3, 4, 5]
    elements = list("abcd")
    together(4, lambda: revise_dictionary(present, [Entry(element := elements.pop(), element)]))
    revisions = DictionaryRevision.objects.filter(version=present)
    assert sorted(revisions.values_list("number", flat=True)) == [1, 2, 3, 4, 5]


def test_equal_parameters_in_two_drafts_at_once() -> None:
    use_case = make_version().use_case
    parameters = {"epsilon": 1, "k": 64, "m": 64, "seed": SEED}

    def draft() -> Version:
        return create_draft(
            use_case, algorithm=ALGORITHM, parameters=parameters, normalization="emoji", locales=["und"]
        )

    (refusal,) = refusals(meeting(draft, draft))
    assert "already has these parameters" in refusal
