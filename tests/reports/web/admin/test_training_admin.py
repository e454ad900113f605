"""Training tasks in the admin: drafted, refused with the figure, activated, frozen."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.models import TrainingTask, TrainingVersion
from reports.training import draft_from, plan_of, save_draft
from reports.web.admin import admin_pages, training_form
from tests.reports.trained import define_task

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

FIELDS: dict[str, Any] = {
    "algorithm": "dpam", "kind": "factored", "dimension": 2, "lowest": 1, "highest": 5, "population": 60,
    "target_epsilon": 4, "delta": 0.001, "rounds": 2, "sampling_rate": "", "more": '{"report_goal": 20}',
}  # fmt: skip


@pytest.fixture
def as_root(admin_user: User, client: Client) -> Client:
    client.force_login(admin_user)
    return client


def errors(answer: Any) -> dict[str, list[str]]:
    return dict(answer.context["adminform"].form.errors)


def confirmed_on(page: Any) -> str:
    (found,) = re.findall(r'name="parameters" value="([0-9a-f]{64})"', page.content.decode())
    return str(found)


def confirm(client: Client, address: str) -> None:
    confirmed = confirmed_on(client.get(f"{address}/activate/"))
    client.post(f"{address}/activate/", {"parameters": confirmed})


def test_a_task_is_made_drafted_activated_and_frozen(as_root: Client) -> None:
    made = as_root.post("/admin/reports/trainingtask/add/", {"title": "Films", "slug": "films", "description": ""})
    task = TrainingTask.objects.get()
    assert made.headers["Location"] == f"/admin/reports/trainingtask/{task.pk}/change/"
    form = as_root.get(f"/admin/reports/trainingversion/add/?task={task.pk}")
    assert f'<option value="{task.pk}" selected>' in form.content.decode()
    drafted = as_root.post("/admin/reports/trainingversion/add/", {"task": task.pk, **FIELDS, "_activate": "1"})
    version = TrainingVersion.objects.get()
    address = f"/admin/reports/trainingversion/{version.pk}"
    assert drafted.headers["Location"] == f"{address}/activate/"
    assert version.parameters["report_goal"] == 20
    assert "Save and activate" in as_root.get(f"{address}/change/").content.decode()
    asked = as_root.get(f"{address}/activate/").content.decode()
    assert "spends ε = 4" in asked
    confirm(as_root, address)
    version.refresh_from_db()
    assert (version.state, plan_of(version)["rounds"]) == ("active", 2)
    frozen = as_root.get(f"{address}/change/").content.decode()
    assert "Frozen:" in frozen
    assert "Save and activate" not in frozen
    assert as_root.post(f"{address}/change/", {**FIELDS, "rounds": 5}).status_code == 403
    as_root.post(f"{address}/copy/")
    draft = TrainingVersion.objects.get(number=2)
    assert (draft.state, draft.parameters) == ("draft", version.parameters)
    changed = f"/admin/reports/trainingversion/{draft.pk}"
    saved = as_root.post(f"{changed}/change/", {**FIELDS, "rounds": 5})
    assert saved.status_code == 302, errors(saved)
    confirm(as_root, changed)
    version.refresh_from_db()
    draft.refresh_from_db()
    assert (version.state, draft.state, draft.parameters["rounds"]) == ("closed", "active", 5)


def test_what_cannot_be_kept_is_refused_beside_its_field_with_the_figure(as_root: Client) -> None:
    task = TrainingTask.objects.create(slug="films", title="Films")
    for changes, field, words in (
        ({"more": '{"noise_multiplier": 0.5}'}, "more", "the task costs ε = "),
        ({"delta": 0.01}, "delta", "at most 1/(10 · population) = 0.00167"),
        ({"target_epsilon": 11}, "target_epsilon", "at most 10, not 11"),
        ({"sampling_rate": 0.1}, "sampling_rate", "dpam does not sample"),
        ({"kind": "linear"}, "algorithm", "dpam trains factored models"),
        ({"more": "[1]"}, "more", "Must be an object"),
        ({"more": '{"population_name": "a\\u0000"}'}, "more", "without NUL"),
        ({"more": '{"colour": 1}'}, "more", "There is no field 'colour'"),
    ):
        refused = as_root.post("/admin/reports/trainingversion/add/", {"task": task.pk, **FIELDS, **changes})
        assert words in " ".join(errors(refused)[field])
        assert not TrainingVersion.objects.exists()


def test_an_identifier_that_no_version_can_have_is_refused(as_root: Client) -> None:
    for slug in ("Films", "a--b", "-films"):
        refused = as_root.post("/admin/reports/trainingtask/add/", {"title": "Films", "slug": slug, "description": ""})
        assert "words joined by a hyphen or an underscore" in errors(refused)["slug"][0]
        assert not TrainingTask.objects.exists()


def test_what_was_confirmed_becomes_active_and_nothing_else(as_root: Client) -> None:
    draft = draft_from(define_task())
    address = f"/admin/reports/trainingversion/{draft.pk}"
    confirmed = confirmed_on(as_root.get(f"{address}/activate/"))
    draft.parameters |= {"rounds": 5}
    save_draft(draft)
    for sent in ({"parameters": confirmed}, {}):
        answer = as_root.post(f"{address}/activate/", sent, follow=True)
        assert "The draft was changed meanwhile" in answer.content.decode()
        draft.refresh_from_db()
        assert draft.state == TrainingVersion.State.DRAFT


def test_a_draft_that_was_discarded_meanwhile_is_told_of(as_root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = draft_from(define_task())
    address = f"/admin/reports/trainingversion/{draft.pk}"

    def save_too_late(version: TrainingVersion) -> None:
        TrainingVersion.objects.filter(pk=version.pk).delete()
        save_draft(version)

    monkeypatch.setattr(training_form, "save_draft", save_too_late)
    answer = as_root.post(f"{address}/change/", FIELDS, follow=True)
    assert "The draft was discarded meanwhile." in answer.content.decode()
    # The answer has undone that together with the saving.
    TrainingVersion.objects.filter(pk=draft.pk).delete()
    monkeypatch.setattr(admin_pages, "get_object_or_404", lambda *_arguments, **_named: draft)
    answer = as_root.post(f"{address}/activate/", follow=True)
    assert "The draft was discarded meanwhile." in answer.content.decode()


def test_owners_see_and_change_their_own_tasks_alone(alice: User, client: Client) -> None:
    own = define_task()
    other = define_task(slug="songs", title="Songs", owner_group="", viewer_groups=[])
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    listed = client.get("/admin/reports/trainingtask/").content.decode()
    assert "Films to watch" in listed
    assert "Songs" not in listed
    assert client.get(f"/admin/reports/trainingversion/{own.pk}/change/").status_code == 200
    assert client.post(f"/admin/reports/trainingversion/{other.pk}/copy/").status_code == 404
    assert client.get("/admin/reports/trainingtask/add/").status_code == 403
    assert "Songs" not in client.get("/admin/reports/trainingversion/add/").content.decode()
