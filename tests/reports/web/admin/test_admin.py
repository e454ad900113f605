"""The admin shows what one may see; some of it can only be looked at."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from reports.models import Batch, Run, UseCase
from reports.runs import start_run
from tests.reports.small_fleet import aggregate, days_ago, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ONLY_SEEN = ("dictionaryrevision", "dictionaryentry", "batch", "run")
MODELS = ("usecase", "version", "dictionaryrevision", "dictionaryentry", "batch", "run")


@pytest.fixture
def staff_alice(alice: User) -> User:
    alice.is_staff = True
    alice.save()
    return alice


@pytest.fixture
def staff_bob(bob: User) -> User:
    bob.is_staff = True
    bob.save()
    return bob


def changelist(model: str) -> str:
    return reverse(f"admin:reports_{model}_changelist")


@pytest.fixture
def foreign() -> UseCase:
    """A use case that alice does not own, with a batch and a run of its own."""
    version = define(slug="vegetables", owner_group="gardeners", viewer_groups=["keyboard"])
    return version.use_case


@pytest.mark.parametrize("model", MODELS)
def test_owners_see_their_own_and_viewers_nothing(
    client: Client, staff_alice: User, staff_bob: User, model: str
) -> None:
    version = define(title="Fruits of alice")
    send(version, 150, day=days_ago(1))
    send(version, 150)
    start_run(version, ring=False)
    client.force_login(staff_alice)
    response = client.get(changelist(model))
    assert response.status_code == 200
    assert response.context["cl"].result_count > 0
    for row in response.context["cl"].result_list:
        assert client.get(reverse(f"admin:reports_{model}_change", args=[row.pk])).status_code == 200
    client.force_login(staff_bob)
    assert client.get(changelist(model)).status_code == 403


def test_what_others_own_is_neither_listed_nor_counted(client: Client, staff_alice: User, foreign: UseCase) -> None:
    define()
    client.force_login(staff_alice)
    response = client.get(changelist("usecase"))
    assert [use_case.slug for use_case in response.context["cl"].result_list] == ["fruits"]
    assert response.context["cl"].full_result_count in (None, 1)
    assert client.get(reverse("admin:reports_usecase_change", args=[foreign.pk])).status_code in (302, 403, 404)


def test_these_can_be_neither_added_nor_changed_nor_deleted(client: Client, admin_user: User) -> None:
    version = define()
    send(version, 150)
    start_run(version, ring=False)
    client.force_login(admin_user)
    for model in ONLY_SEEN:
        assert client.get(reverse(f"admin:reports_{model}_add")).status_code == 403
        (row, *_others) = client.get(changelist(model)).context["cl"].result_list
        for page in ("change", "delete"):
            address = reverse(f"admin:reports_{model}_{page}", args=[row.pk])
            assert client.post(address, {"post": "yes"}).status_code == 403, address


def test_the_aggregate_action_starts_a_run_by_whoever_asked(client: Client, staff_alice: User) -> None:
    version = define()
    send(version, 150)
    client.force_login(staff_alice)
    body = {"action": "aggregate", "_selected_action": [version.use_case.pk]}
    response = client.post(changelist("usecase"), body, follow=True)
    assert "1 run is under way." in response.content.decode()
    assert Run.objects.get().requested_by == staff_alice


def test_the_aggregate_action_says_why_there_is_nothing_to_do(client: Client, staff_alice: User) -> None:
    version = define()
    client.force_login(staff_alice)
    body = {"action": "aggregate", "_selected_action": [version.use_case.pk]}
    assert "no reports" in client.post(changelist("usecase"), body, follow=True).content.decode()
    assert not Run.objects.exists()


def test_as_many_queries_for_many_batches(client: Client, admin_user: User) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            page = client.get(changelist("batch")).content.decode()
        assert page.count("Fruits") == Batch.objects.count()
        return len(asked)

    client.force_login(admin_user)
    version = define()
    send(version, 10)
    one = queries()
    for seed in range(3):
        send(version, 10, seed=seed)
    assert queries() == one


def test_a_batch_of_an_open_day_is_withdrawn_and_a_sealed_one_stays(client: Client, admin_user: User) -> None:
    version = define()
    sealed, _truth = send(version, 150, day=days_ago(1))
    aggregate(version)
    opened, _truth = send(version, 150)
    client.force_login(admin_user)
    body = {"action": "withdraw_batches", "_selected_action": [str(sealed.batch), str(opened.batch)]}
    page = client.post(changelist("batch"), body, follow=True).content.decode()
    assert f"Batch {opened.batch} is withdrawn." in page
    assert f"Batch {sealed.batch} stays" in page
    states = dict(Batch.objects.values_list("pk", "state"))
    assert states == {opened.batch: Batch.State.WITHDRAWN, sealed.batch: Batch.State.SEALED}
    assert version.shards.get().size == 150


def test_reasons_for_rejection_and_progress_are_shown(client: Client, admin_user: User) -> None:
    version = define()
    send(version, 150)
    Batch.objects.update(rejected={"wrong_length": 12})
    run = start_run(version, ring=False)
    client.force_login(admin_user)
    assert "wrong_length</a>: 12" in client.get(changelist("batch")).content.decode()
    page = client.get(reverse("admin:reports_run_change", args=[run.pk])).content.decode()
    assert "0 / 0" in page
    assert reverse("run", args=[run.pk]) in page
    assert f'data-address="{reverse("run_progress", args=[run.pk])}"' in page
    assert "reports/progress.js" in page
    Run.objects.update(state=Run.State.FINISHED)
    assert "data-address" not in client.get(reverse("admin:reports_run_change", args=[run.pk])).content.decode()
