"""Who may configure what."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports import access
from reports.models import BudgetGroup, DictionaryDraft, UseCase, Version
from tests.reports.small_fleet import define
from tests.reports.web.admin.forms import USE_CASE, VERSION, change, make_draft, page, use_case_form
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

STEPS = ("activate", "discard", "dictionary", "preview", "copy")


@pytest.fixture
@once
def draft(db: None) -> Version:
    define(slug="vegetables", owner_group="gardeners", viewer_groups=[])
    return make_draft(define())


def state() -> list[object]:
    return [
        *UseCase.objects.order_by("pk").values_list("title", flat=True),
        *Version.objects.order_by("pk").values_list("pk", "state", "parameters"),
        *DictionaryDraft.objects.values_list("text", flat=True),
    ]


def test_viewers_among_the_staff_configure_nothing(as_bob: Client, draft: Version) -> None:
    """People who may not even see results are tried on all addresses, with the promises."""
    use_case = draft.use_case
    assert use_case in access.use_cases(User.objects.get(username="bob"), "view")
    before = state()
    sent: list[tuple[str, dict[str, Any]]] = [
        (change(draft), VERSION | {"m": "128"}),
        (change(use_case), use_case_form(use_case, title="Other")),
        *((page(f"version_{step}", draft.pk), {"text": "kiwi", "form": "lines", "instead_of": "1"}) for step in STEPS),
        *((page(f"usecase_{name}", use_case.pk), {}) for name in ("history", "delete_reports")),
        (page("usecase_state", use_case.pk, "paused"), {}),
    ]
    for address, body in sent:
        for response in (as_bob.get(address), as_bob.post(address, body)):
            assert response.status_code in (403, 404, 405) or response.headers["Location"] == "/admin/", address
    assert state() == before


def test_only_superusers_add_use_cases_and_change_budget_groups(
    as_alice: Client, as_root: Client, draft: Version
) -> None:
    group = BudgetGroup.objects.create(name="Garden", daily_limit=2)
    UseCase.objects.update(budget_group=group)
    assert as_alice.get(change(group)).status_code == 200
    for client, may in ((as_alice, False), (as_root, True)):
        client.post(page("usecase_add"), USE_CASE)
        assert UseCase.objects.filter(slug="loud-domains").exists() == may
        client.post(page("budgetgroup_add"), {"name": "New", "daily_limit": "1"})
        assert BudgetGroup.objects.filter(name="New").exists() == may
        client.post(change(group), {"name": "Garden", "daily_limit": "9"})
        group.refresh_from_db()
        assert group.daily_limit == (9 if may else 2)


def test_a_version_is_added_only_to_what_one_owns(as_gardener: Client, draft: Version) -> None:
    response = as_gardener.post(page("version_add"), VERSION | {"use_case": draft.use_case.pk})
    assert response.status_code == 200
    assert "use_case" in response.context["adminform"].form.errors
    assert draft.use_case.versions.count() == 2


def test_owners_choose_among_their_own_groups(as_alice: Client, draft: Version) -> None:
    form = as_alice.get(change(draft.use_case)).context["adminform"].form
    assert [str(group) for group in form.fields["owner_group"].queryset] == ["keyboard-owners"]
    response = as_alice.post(change(draft.use_case), use_case_form(draft.use_case, owner_group=""))
    assert list(response.context["adminform"].form.errors) == ["owner_group"]


def test_only_superusers_choose_the_budget_group(as_alice: Client, as_root: Client, draft: Version) -> None:
    garden, other = BudgetGroup.objects.create(name="Garden"), BudgetGroup.objects.create(name="Other")
    use_case = draft.use_case
    UseCase.objects.filter(pk=use_case.pk).update(budget_group=garden)
    define(slug="nuts")  # of the same owners, so that they may see the other group too
    UseCase.objects.filter(slug="nuts").update(budget_group=other)
    shown = as_alice.get(change(use_case)).content.decode()
    assert 'name="budget_group"' not in shown
    assert "Garden</a>" in shown
    for wanted in ("", other.pk):
        sent = use_case_form(use_case, title=f"Title {wanted}", budget_group=wanted)
        assert as_alice.post(change(use_case), sent).status_code == 302
        use_case.refresh_from_db()
        assert (use_case.title, use_case.budget_group) == (f"Title {wanted}".strip(), garden)
    as_root.post(change(use_case), use_case_form(use_case, budget_group=other.pk))
    use_case.refresh_from_db()
    assert use_case.budget_group == other


def test_nothing_is_deleted_and_get_changes_nothing(as_root: Client, draft: Version) -> None:
    before = state()
    for found in (draft, draft.use_case):
        assert as_root.post(page(f"{found._meta.model_name}_delete", found.pk), {"post": "yes"}).status_code == 403
    for step in STEPS:
        assert as_root.get(page(f"version_{step}", draft.pk)).status_code == (
            405 if step == "copy" else 200 if step != "preview" else 302
        )
    assert state() == before
