"""The admin shows what one may see; some of it can only be looked at."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from reports.models import Batch, Deletion, Histogram, Run, Version, Viewing, WordDecision
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.trends import publish_day
from tests.reports.web.admin.forms import change, page
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ONLY_SEEN = (
    "batch", "deletion", "dictionaryentry", "dictionaryrevision", "histogram", "run", "viewing", "worddecision",
)  # fmt: skip
MODELS = ("usecase", "version", *ONLY_SEEN)


def changelist(model: str) -> str:
    return page(f"{model}_changelist")


@pytest.fixture
@once
def version(db: None) -> Version:
    """A use case with reports that wait, a run that has not begun, and one of everything that is only looked at."""
    version = define(title="Fruits of alice")
    send(version, 150)
    Run.objects.create(version=version, first_day=days_ago(0), last_day=days_ago(0))
    Deletion.objects.create(version=version, day=days_ago(9), reports=7, reason="expired")
    Viewing.objects.create(use_case=version.use_case, what="csv")
    Histogram.objects.filter(pk=publish_day(version, 1, {}).pk).update(revision=None)
    WordDecision.objects.create(use_case=version.use_case, word="lmao", verdict="rejected")
    return version


def test_owners_see_their_own_and_viewers_nothing(as_alice: Client, as_bob: Client, version: Version) -> None:
    """Use cases of others are neither listed nor opened: the promises try that on all addresses."""
    for model in MODELS:
        response = as_alice.get(changelist(model))
        assert response.context["cl"].result_count > 0, model
        assert response.context["cl"].full_result_count is None, model
        row = response.context["cl"].result_list[0]
        assert as_alice.get(change(row)).status_code == 200, model
        for address in (changelist(model), change(row)):
            assert as_bob.get(address).status_code == 403, address


def test_records_are_neither_added_nor_changed_nor_deleted(as_root: Client, version: Version) -> None:
    for model in ONLY_SEEN:
        assert as_root.get(page(f"{model}_add")).status_code == 403
        (row, *_others) = as_root.get(changelist(model)).context["cl"].result_list
        for name in ("change", "delete"):
            address = page(f"{model}_{name}", row.pk)
            assert as_root.post(address, {"post": "yes"}).status_code == 403, address
        chosen = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
        as_root.post(changelist(model), chosen)
        assert type(row)._default_manager.filter(pk=row.pk).exists(), model


def test_the_aggregate_action_starts_a_run_or_says_why_not(as_alice: Client, alice: User) -> None:
    version = define()
    body = {"action": "aggregate", "_selected_action": [version.use_case.pk]}
    assert "no reports" in as_alice.post(changelist("usecase"), body, follow=True).content.decode()
    assert not Run.objects.exists()
    send(version, 150)
    response = as_alice.post(changelist("usecase"), body, follow=True)
    assert "1 run is under way." in response.content.decode()
    assert Run.objects.get().requested_by == alice


def test_as_many_queries_for_many_batches(as_root: Client, version: Version) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            page = as_root.get(changelist("batch")).content.decode()
        assert page.count("Fruits") == Batch.objects.count()
        return len(asked)

    one = queries()
    for seed in range(3):
        send(version, 10, seed=seed)
    assert queries() == one


def test_a_batch_of_an_open_day_is_withdrawn_and_a_sealed_one_stays(as_root: Client) -> None:
    version = define()
    sealed, _truth = send(version, 150, day=days_ago(1))
    aggregate(version)
    opened, _truth = send(version, 150)
    body = {"action": "withdraw_batches", "_selected_action": [str(sealed.batch), str(opened.batch)]}
    said = as_root.post(changelist("batch"), body, follow=True).content.decode()
    assert f"Batch {opened.batch} is withdrawn." in said
    assert f"Batch {sealed.batch} was not withdrawn" in said
    states = dict(Batch.objects.values_list("pk", "state"))
    assert states == {opened.batch: Batch.State.WITHDRAWN, sealed.batch: Batch.State.SEALED}
    assert version.shards.get().size == 150


def test_reasons_for_rejection_and_progress_are_shown(as_root: Client, version: Version) -> None:
    Batch.objects.update(rejected={"wrong_length": 12})
    run = Run.objects.get()
    assert "wrong_length</a>: 12" in as_root.get(changelist("batch")).content.decode()
    said = as_root.get(change(run)).content.decode()
    assert "0 / 0" in said
    assert reverse("run", args=[run.pk]) in said
    assert f'data-address="{reverse("run_progress", args=[run.pk])}"' in said
    assert "reports/progress.js" in said
    Run.objects.update(state=Run.State.FINISHED)
    assert "data-address" not in as_root.get(change(run)).content.decode()
