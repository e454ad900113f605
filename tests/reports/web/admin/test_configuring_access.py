"""Who may configure what: every page and every button, for everybody."""

import pytest
from django.test import Client

from reports.models import BudgetGroup, DictionaryDraft, UseCase, Version
from tests.reports.small_fleet import define
from tests.reports.web.admin.forms import USE_CASE, VERSION, change, make_draft, page, use_case_form
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PEOPLE = ("anonymous", "as_bob", "as_gardener", "as_alice", "as_root")
STEPS = ("activate", "discard", "dictionary", "preview")


@pytest.fixture
@once
def draft(db: None) -> Version:
    define(slug="vegetables", owner_group="gardeners", viewer_groups=[])
    return make_draft(define())


@pytest.fixture
def client_of(request: pytest.FixtureRequest, who: str) -> Client:
    found: Client = Client() if who == "anonymous" else request.getfixturevalue(who)
    return found


def is_refused(response: object, who: str) -> bool:
    """Anonymous people go to the login; others see no more than if there were nothing."""
    status, address = getattr(response, "status_code", 0), getattr(response, "url", "")
    if who == "anonymous":
        return status == 302 and "/login/" in address
    # The admin itself says so of what is not there by going to its first page.
    return status in (403, 404) or (status == 302 and address == "/admin/")


@pytest.mark.parametrize("who", PEOPLE)
def test_pages(client_of: Client, who: str, draft: Version) -> None:
    may = who in ("as_alice", "as_root")
    draft.use_case.budget_group = BudgetGroup.objects.create(name="Garden", daily_limit=2)
    draft.use_case.save()
    pages = [change(draft), change(draft.use_case), change(draft.use_case.budget_group)]
    pages += [page("version_history", draft.pk), page("usecase_history", draft.use_case.pk)]
    pages += [page(f"version_{step}", draft.pk) for step in STEPS[:3]]
    for address in pages:
        response = client_of.get(address)
        assert (response.status_code == 200) == may, address
        assert may or is_refused(response, who), address


@pytest.mark.parametrize("who", PEOPLE)
def test_buttons(client_of: Client, who: str, draft: Version) -> None:
    may = who in ("as_alice", "as_root")
    before = state()
    sent = [
        (change(draft), VERSION | {"m": "128"}),
        (change(draft.use_case), use_case_form(draft.use_case, title="Other")),
        (page("version_dictionary", draft.pk), {"text": "kiwi", "form": "lines"}),
        (page("version_preview", draft.pk), {"discard": "1"}),
        (page("version_copy", draft.pk), {}),
        (page("version_activate", draft.pk), {"instead_of": "1"}),
    ]
    for address, body in sent:
        response = client_of.post(address, body)
        if may:
            assert response.status_code == 302, address
            assert state() != before, address
            before = state()
        else:
            assert is_refused(response, who), address
            assert state() == before, address
    if may:
        newest = Version.objects.order_by("-number").first()
        assert newest is not None
        assert client_of.post(page("version_discard", newest.pk)).status_code == 302
        assert not Version.objects.filter(pk=newest.pk).exists()
    else:
        assert is_refused(client_of.post(page("version_discard", draft.pk)), who)
        assert Version.objects.filter(pk=draft.pk).exists()


def state() -> list[object]:
    return [
        *UseCase.objects.order_by("pk").values_list("title", flat=True),
        *Version.objects.order_by("pk").values_list("pk", "state", "parameters"),
        *DictionaryDraft.objects.values_list("text", flat=True),
    ]


@pytest.mark.parametrize("who", PEOPLE)
def test_only_superusers_add_use_cases_and_change_budget_groups(client_of: Client, who: str, draft: Version) -> None:
    group = BudgetGroup.objects.create(name="Garden", daily_limit=2)
    UseCase.objects.update(budget_group=group)
    client_of.post(page("usecase_add"), USE_CASE)
    assert UseCase.objects.filter(slug="loud-domains").exists() == (who == "as_root")
    client_of.post(page("budgetgroup_add"), {"name": "New", "daily_limit": "1"})
    assert BudgetGroup.objects.filter(name="New").exists() == (who == "as_root")
    client_of.post(change(group), {"name": "Garden", "daily_limit": "9"})
    group.refresh_from_db()
    assert group.daily_limit == (9 if who == "as_root" else 2)


def test_nobody_adds_a_version_to_what_others_own(as_gardener: Client, draft: Version) -> None:
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
        as_root.get(page(f"version_{step}", draft.pk))
    assert as_root.get(page("version_copy", draft.pk)).status_code == 405
    assert state() == before


def test_forged_forms_are_refused(admin_user: object, draft: Version) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin_user)  # type: ignore[arg-type]
    before = state()
    for step in (*STEPS, "copy"):
        assert client.post(page(f"version_{step}", draft.pk), {"text": "kiwi"}).status_code == 403, step
    assert state() == before
